/** What the reader's script says of what it does, in the page's language. */
export interface ReaderWords {
  /** Stands before their number. */
  readonly results: string;
  readonly linkCopied: string;
  /** Name of what opens a picture in full size. */
  readonly enlarge: string;
}

const keys = ["results", "linkCopied", "enlarge"] as const satisfies readonly (keyof ReaderWords)[];

/** One line for each language, in the order of `keys`, parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Results|Link copied|Enlarge picture",
    es: "Resultados|Enlace copiado|Ampliar imagen",
    fr: "Résultats|Lien copié|Agrandir l’image",
    de: "Treffer|Link kopiert|Bild vergrößern",
    it: "Risultati|Link copiato|Ingrandisci immagine",
    pt: "Resultados|Link copiado|Ampliar imagem",
    nl: "Resultaten|Link gekopieerd|Afbeelding vergroten",
    pl: "Wyniki|Skopiowano odnośnik|Powiększ obraz",
    ru: "Результаты|Ссылка скопирована|Увеличить изображение",
    uk: "Результати|Посилання скопійовано|Збільшити зображення",
    tr: "Sonuçlar|Bağlantı kopyalandı|Görseli büyüt",
    zh: "结果|链接已复制|放大图片",
    "zh-hant": "結果|已複製連結|放大圖片",
    ja: "検索結果|リンクをコピーしました|画像を拡大",
    ko: "결과|링크 복사됨|이미지 확대",
    ar: "النتائج|تم نسخ الرابط|تكبير الصورة",
    he: "תוצאות|הקישור הועתק|הגדלת התמונה",
    hi: "परिणाम|लिंक कॉपी हुआ|चित्र बड़ा करें",
    id: "Hasil|Tautan disalin|Perbesar gambar",
    vi: "Kết quả|Đã sao chép liên kết|Phóng to hình ảnh",
  }),
);

/** The words for a language tag (BCP 47); English for languages that are not there. */
export function readerWordsOf(tag: string): ReaderWords {
  const lower = tag.toLowerCase();
  const line = lines.get(lower) ?? lines.get(lower.split("-")[0] ?? "") ?? lines.get("en") ?? "";
  const parts = line.split("|");
  return Object.fromEntries(
    keys.map((key, at) => [key, parts[at] ?? ""]),
  ) as unknown as ReaderWords;
}
