/** What can be done with a diagram: in, out, back to the beginning; up, down, left, right. Parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Zoom in|Zoom out|Reset view|Up|Down|Left|Right",
    es: "Acercar|Alejar|Restablecer vista|Arriba|Abajo|Izquierda|Derecha",
    fr: "Zoom avant|Zoom arrière|Rétablir la vue|Haut|Bas|Gauche|Droite",
    de: "Vergrößern|Verkleinern|Ansicht zurücksetzen|Nach oben|Nach unten|Nach links|Nach rechts",
    it: "Ingrandisci|Riduci|Ripristina vista|Su|Giù|Sinistra|Destra",
    pt: "Ampliar|Reduzir|Repor vista|Para cima|Para baixo|Para a esquerda|Para a direita",
    nl: "Inzoomen|Uitzoomen|Weergave herstellen|Omhoog|Omlaag|Naar links|Naar rechts",
    pl: "Powiększ|Pomniejsz|Przywróć widok|W górę|W dół|W lewo|W prawo",
    ru: "Увеличить|Уменьшить|Исходный вид|Вверх|Вниз|Влево|Вправо",
    uk: "Збільшити|Зменшити|Початковий вигляд|Вгору|Вниз|Ліворуч|Праворуч",
    tr: "Yakınlaştır|Uzaklaştır|Görünümü sıfırla|Yukarı|Aşağı|Sola|Sağa",
    zh: "放大|缩小|重置视图|向上|向下|向左|向右",
    "zh-hant": "放大|縮小|重設檢視|向上|向下|向左|向右",
    ja: "拡大|縮小|表示をリセット|上へ|下へ|左へ|右へ",
    ko: "확대|축소|보기 초기화|위로|아래로|왼쪽으로|오른쪽으로",
    ar: "تكبير|تصغير|إعادة ضبط العرض|أعلى|أسفل|يسار|يمين",
    he: "הגדלה|הקטנה|איפוס התצוגה|למעלה|למטה|שמאלה|ימינה",
    hi: "बड़ा करें|छोटा करें|दृश्य रीसेट करें|ऊपर|नीचे|बाएँ|दाएँ",
    id: "Perbesar|Perkecil|Atur ulang tampilan|Atas|Bawah|Kiri|Kanan",
    vi: "Phóng to|Thu nhỏ|Đặt lại chế độ xem|Lên|Xuống|Sang trái|Sang phải",
  }),
);

/** The words for a language tag (BCP 47); English for languages that are not there. */
export function diagramWordsOf(tag: string): string {
  const lower = tag.toLowerCase();
  return lines.get(lower) ?? lines.get(lower.split("-")[0] ?? "") ?? lines.get("en") ?? "";
}
