import { componentWordsOf, type ComponentWords } from "./component-words.ts";
import type { PageWords } from "./page-words.ts";
import { diagramWordsOf } from "./diagram-words.ts";
import { readerWordsOf, type ReaderWords } from "./reader-words.ts";

/** What the layout itself says, in the language of the page. */
export interface Words extends PageWords, ReaderWords {
  readonly skipToContent: string;
  readonly navigation: string;
  readonly menu: string;
  readonly search: string;
  readonly noResults: string;
  readonly onThisPage: string;
  readonly previous: string;
  readonly next: string;
  readonly copy: string;
  readonly copied: string;
  readonly copyPage: string;
  readonly viewAsMarkdown: string;
  /** `$` stands for the name of an assistant. */
  readonly openIn: string;
  readonly switchScheme: string;
  readonly language: string;
  readonly version: string;
  readonly close: string;
  readonly deprecated: string;
  readonly more: string;
  readonly notFound: string;
  readonly notFoundText: string;
  readonly home: string;
  readonly searchHint: string;
}

/** What the reader's script says, in the order in which it reads them, parted by `|`. */
export function clientWords(words: Words): string {
  const { copy, copied, search, noResults, close, searchHint, more, language } = words;
  const { results, linkCopied, enlarge } = words;
  const own = [results, linkCopied, enlarge];
  return [copy, copied, search, noResults, close, searchHint, more, language, ...own].join("|");
}

const keys = [
  "skipToContent",
  "navigation",
  "menu",
  "search",
  "noResults",
  "onThisPage",
  "previous",
  "next",
  "copy",
  "copied",
  "copyPage",
  "viewAsMarkdown",
  "switchScheme",
  "language",
  "version",
  "close",
  "deprecated",
  "more",
  "notFound",
  "notFoundText",
  "home",
  "searchHint",
  "pictureMissing",
  "videoMissing",
  "interactiveOmitted",
  "diagramSource",
  "diagram",
  "openIn",
  "footnoteBack",
  "loadFrom",
] as const satisfies readonly (keyof Words)[];

/** One line for each language, in the order of `keys`, parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Skip to content|Navigation|Menu|Search|No results|On this page|Previous|Next|Copy|Copied|Copy page|View as Markdown|Switch between light and dark|Language|Version|Close|Deprecated|More|Page not found|There is no page at this address. It may have moved; search for it, or start from the beginning.|Go to the start page|Try fewer or other words.|Picture not available|Video not available|This part is interactive and not available in this copy.|Diagram source (Mermaid)|Diagram|Open in $|Back to reference $|Load from $",
    es: "Ir al contenido|Navegación|Menú|Buscar|Sin resultados|En esta página|Anterior|Siguiente|Copiar|Copiado|Copiar página|Ver como Markdown|Cambiar entre claro y oscuro|Idioma|Versión|Cerrar|Obsoleto|Más|Página no encontrada|No hay ninguna página en esta dirección. Puede haberse movido; búsquela o empiece por el principio.|Ir a la página de inicio|Pruebe con menos palabras o con otras.|Imagen no disponible|Vídeo no disponible|Esta parte es interactiva y no está disponible en esta copia.|Código del diagrama (Mermaid)|Diagrama|Abrir en $|Volver a la referencia $|Cargar desde $",
    fr: "Aller au contenu|Navigation|Menu|Rechercher|Aucun résultat|Sur cette page|Précédent|Suivant|Copier|Copié|Copier la page|Voir en Markdown|Basculer entre clair et sombre|Langue|Version|Fermer|Obsolète|Plus|Page introuvable|Il n’y a pas de page à cette adresse. Elle a peut-être été déplacée ; cherchez-la ou repartez du début.|Aller à la page d’accueil|Essayez avec moins de mots ou d’autres mots.|Image non disponible|Vidéo non disponible|Cette partie est interactive et n’est pas disponible dans cette copie.|Source du diagramme (Mermaid)|Diagramme|Ouvrir dans $|Retour à l’appel de note $|Charger depuis $",
    de: "Zum Inhalt|Navigation|Menü|Suchen|Keine Treffer|Auf dieser Seite|Zurück|Weiter|Kopieren|Kopiert|Seite kopieren|Als Markdown ansehen|Zwischen Hell und Dunkel wechseln|Sprache|Version|Schließen|Veraltet|Mehr|Seite nicht gefunden|Unter dieser Adresse gibt es keine Seite. Vielleicht ist sie umgezogen: Suchen Sie danach, oder beginnen Sie von vorn.|Zur Startseite|Versuchen Sie es mit weniger oder anderen Wörtern.|Bild nicht verfügbar|Video nicht verfügbar|Dieser Teil ist interaktiv und in dieser Kopie nicht verfügbar.|Quelltext des Diagramms (Mermaid)|Diagramm|In $ öffnen|Zurück zum Verweis $|Von $ laden",
    it: "Vai al contenuto|Navigazione|Menu|Cerca|Nessun risultato|In questa pagina|Precedente|Successivo|Copia|Copiato|Copia pagina|Vedi come Markdown|Passa tra chiaro e scuro|Lingua|Versione|Chiudi|Deprecato|Altro|Pagina non trovata|A questo indirizzo non c’è nessuna pagina. Forse è stata spostata: cercala o riparti dall’inizio.|Vai alla pagina iniziale|Prova con meno parole o con altre.|Immagine non disponibile|Video non disponibile|Questa parte è interattiva e non è disponibile in questa copia.|Sorgente del diagramma (Mermaid)|Diagramma|Apri in $|Torna al riferimento $|Carica da $",
    pt: "Ir para o conteúdo|Navegação|Menu|Pesquisar|Nenhum resultado|Nesta página|Anterior|Próximo|Copiar|Copiado|Copiar página|Ver como Markdown|Alternar entre claro e escuro|Idioma|Versão|Fechar|Obsoleto|Mais|Página não encontrada|Não há página neste endereço. Talvez tenha mudado de lugar: pesquise ou recomece do início.|Ir para a página inicial|Tente com menos palavras ou com outras.|Imagem não disponível|Vídeo não disponível|Esta parte é interativa e não está disponível nesta cópia.|Código do diagrama (Mermaid)|Diagrama|Abrir no $|Voltar à referência $|Carregar de $",
    nl: "Naar de inhoud|Navigatie|Menu|Zoeken|Geen resultaten|Op deze pagina|Vorige|Volgende|Kopiëren|Gekopieerd|Pagina kopiëren|Bekijken als Markdown|Wisselen tussen licht en donker|Taal|Versie|Sluiten|Verouderd|Meer|Pagina niet gevonden|Op dit adres staat geen pagina. Misschien is ze verplaatst: zoek ernaar, of begin opnieuw.|Naar de startpagina|Probeer minder of andere woorden.|Afbeelding niet beschikbaar|Video niet beschikbaar|Dit deel is interactief en niet beschikbaar in deze kopie.|Bron van het diagram (Mermaid)|Diagram|Openen in $|Terug naar verwijzing $|Laden van $",
    pl: "Przejdź do treści|Nawigacja|Menu|Szukaj|Brak wyników|Na tej stronie|Poprzednia|Następna|Kopiuj|Skopiowano|Kopiuj stronę|Pokaż jako Markdown|Przełącz jasny i ciemny|Język|Wersja|Zamknij|Przestarzałe|Więcej|Nie znaleziono strony|Pod tym adresem nie ma strony. Mogła zostać przeniesiona: wyszukaj ją lub zacznij od początku.|Przejdź do strony głównej|Spróbuj użyć mniej lub innych słów.|Obraz niedostępny|Wideo niedostępne|Ta część jest interaktywna i niedostępna w tej kopii.|Źródło diagramu (Mermaid)|Diagram|Otwórz w $|Wróć do odsyłacza $|Wczytaj z $",
    ru: "К содержанию|Навигация|Меню|Поиск|Ничего не найдено|На этой странице|Назад|Далее|Копировать|Скопировано|Копировать страницу|Открыть как Markdown|Переключить светлую и тёмную тему|Язык|Версия|Закрыть|Устарело|Ещё|Страница не найдена|По этому адресу нет страницы. Возможно, её перенесли: воспользуйтесь поиском или начните сначала.|На главную|Попробуйте меньше слов или другие слова.|Изображение недоступно|Видео недоступно|Эта часть интерактивна и недоступна в этой копии.|Исходный код диаграммы (Mermaid)|Диаграмма|Открыть в $|Назад к сноске $|Загрузить с $",
    uk: "До вмісту|Навігація|Меню|Пошук|Нічого не знайдено|На цій сторінці|Назад|Далі|Копіювати|Скопійовано|Копіювати сторінку|Переглянути як Markdown|Перемкнути світлу й темну тему|Мова|Версія|Закрити|Застаріле|Ще|Сторінку не знайдено|За цією адресою немає сторінки. Можливо, її перенесли: скористайтеся пошуком або почніть спочатку.|На головну|Спробуйте менше слів або інші слова.|Зображення недоступне|Відео недоступне|Ця частина інтерактивна й недоступна в цій копії.|Код діаграми (Mermaid)|Діаграма|Відкрити в $|Назад до виноски $|Завантажити з $",
    tr: "İçeriğe geç|Gezinme|Menü|Ara|Sonuç yok|Bu sayfada|Önceki|Sonraki|Kopyala|Kopyalandı|Sayfayı kopyala|Markdown olarak gör|Açık ve koyu arasında geç|Dil|Sürüm|Kapat|Kullanımdan kaldırıldı|Daha fazla|Sayfa bulunamadı|Bu adreste bir sayfa yok. Taşınmış olabilir: arayın ya da baştan başlayın.|Başlangıç sayfasına git|Daha az ya da başka sözcükler deneyin.|Görsel kullanılamıyor|Video kullanılamıyor|Bu bölüm etkileşimlidir ve bu kopyada kullanılamaz.|Diyagram kaynağı (Mermaid)|Diyagram|$ ile aç|$ numaralı göndermeye dön|$ sitesinden yükle",
    zh: "跳到内容|导航|菜单|搜索|没有结果|本页内容|上一页|下一页|复制|已复制|复制页面|以 Markdown 查看|切换浅色和深色|语言|版本|关闭|已弃用|更多|找不到页面|此地址没有页面。它可能已移动，请搜索或从头开始。|前往首页|请尝试更少或其他的词。|图片不可用|视频不可用|此部分为交互内容，在此副本中不可用。|图表源代码 (Mermaid)|图表|在 $ 中打开|返回引用 $|从 $ 加载",
    "zh-hant":
      "跳至內容|導覽|選單|搜尋|沒有結果|本頁內容|上一頁|下一頁|複製|已複製|複製頁面|以 Markdown 檢視|切換淺色與深色|語言|版本|關閉|已棄用|更多|找不到頁面|此位址沒有頁面。它可能已移動，請搜尋或從頭開始。|前往首頁|請嘗試較少或其他的字詞。|圖片無法使用|影片無法使用|此部分為互動內容，在此副本中無法使用。|圖表原始碼 (Mermaid)|圖表|在 $ 中開啟|返回註標 $|從 $ 載入",
    ja: "本文へ|ナビゲーション|メニュー|検索|見つかりませんでした|このページの内容|前へ|次へ|コピー|コピーしました|ページをコピー|Markdown で見る|ライトとダークを切り替える|言語|バージョン|閉じる|非推奨|もっと見る|ページが見つかりません|このアドレスにページはありません。移動した可能性があります。検索するか、最初のページからお探しください。|最初のページへ|語を減らすか、別の語でお試しください。|画像は利用できません|動画は利用できません|この部分は対話式のため、このコピーでは利用できません。|図のソース (Mermaid)|図|$ で開く|参照 $ に戻る|$ から読み込む",
    ko: "본문으로 건너뛰기|탐색|메뉴|검색|결과 없음|이 페이지에서|이전|다음|복사|복사됨|페이지 복사|Markdown으로 보기|밝은 화면과 어두운 화면 전환|언어|버전|닫기|사용 중단|더 보기|페이지를 찾을 수 없습니다|이 주소에는 페이지가 없습니다. 옮겨졌을 수 있으니 검색하거나 처음부터 시작하세요.|시작 페이지로 이동|더 적은 단어나 다른 단어로 검색해 보세요.|이미지를 사용할 수 없음|동영상을 사용할 수 없음|이 부분은 대화형이므로 이 사본에서는 사용할 수 없습니다.|다이어그램 소스 (Mermaid)|다이어그램|$에서 열기|참조 $(으)로 돌아가기|$에서 불러오기",
    ar: "انتقل إلى المحتوى|التنقل|القائمة|بحث|لا نتائج|في هذه الصفحة|السابق|التالي|نسخ|تم النسخ|نسخ الصفحة|عرض بصيغة Markdown|التبديل بين الفاتح والداكن|اللغة|الإصدار|إغلاق|مهمل|المزيد|الصفحة غير موجودة|لا توجد صفحة على هذا العنوان. ربما نُقلت؛ ابحث عنها أو ابدأ من البداية.|إلى صفحة البداية|جرّب كلمات أقل أو كلمات أخرى.|الصورة غير متوفرة|الفيديو غير متوفر|هذا الجزء تفاعلي وغير متوفر في هذه النسخة.|مصدر المخطط (Mermaid)|مخطط|الفتح في $|العودة إلى المرجع $|التحميل من $",
    he: "דלגו לתוכן|ניווט|תפריט|חיפוש|אין תוצאות|בעמוד זה|הקודם|הבא|העתקה|הועתק|העתקת העמוד|הצגה כ-Markdown|מעבר בין בהיר לכהה|שפה|גרסה|סגירה|הוצא משימוש|עוד|העמוד לא נמצא|אין עמוד בכתובת הזאת. ייתכן שהועבר: חפשו אותו או התחילו מההתחלה.|לעמוד הפתיחה|נסו פחות מילים או מילים אחרות.|התמונה אינה זמינה|הסרטון אינו זמין|חלק זה אינטראקטיבי ואינו זמין בעותק הזה.|מקור התרשים (Mermaid)|תרשים|פתיחה ב-$|חזרה להפניה $|טעינה מ-$",
    hi: "सामग्री पर जाएँ|नेविगेशन|मेनू|खोजें|कोई परिणाम नहीं|इस पृष्ठ पर|पिछला|अगला|कॉपी करें|कॉपी हुआ|पृष्ठ कॉपी करें|Markdown में देखें|हल्का और गहरा बदलें|भाषा|संस्करण|बंद करें|अप्रचलित|और|पृष्ठ नहीं मिला|इस पते पर कोई पृष्ठ नहीं है। शायद वह हटाया गया है: उसे खोजें या शुरू से आरंभ करें।|आरंभ पृष्ठ पर जाएँ|कम या दूसरे शब्दों से खोजें।|चित्र उपलब्ध नहीं है|वीडियो उपलब्ध नहीं है|यह भाग इंटरैक्टिव है और इस प्रति में उपलब्ध नहीं है।|आरेख का स्रोत (Mermaid)|आरेख|$ में खोलें|संदर्भ $ पर वापस जाएँ|$ से लोड करें",
    id: "Langsung ke isi|Navigasi|Menu|Cari|Tidak ada hasil|Di halaman ini|Sebelumnya|Berikutnya|Salin|Tersalin|Salin halaman|Lihat sebagai Markdown|Ganti terang dan gelap|Bahasa|Versi|Tutup|Usang|Lainnya|Halaman tidak ditemukan|Tidak ada halaman di alamat ini. Mungkin sudah dipindahkan: cari, atau mulai dari awal.|Ke halaman awal|Coba kata yang lebih sedikit atau kata lain.|Gambar tidak tersedia|Video tidak tersedia|Bagian ini interaktif dan tidak tersedia dalam salinan ini.|Sumber diagram (Mermaid)|Diagram|Buka di $|Kembali ke rujukan $|Muat dari $",
    vi: "Đến nội dung|Điều hướng|Trình đơn|Tìm kiếm|Không có kết quả|Trên trang này|Trước|Tiếp|Sao chép|Đã sao chép|Sao chép trang|Xem dạng Markdown|Chuyển sáng và tối|Ngôn ngữ|Phiên bản|Đóng|Không còn dùng|Thêm|Không tìm thấy trang|Không có trang nào ở địa chỉ này. Có thể trang đã được chuyển: hãy tìm kiếm hoặc bắt đầu lại từ đầu.|Đến trang đầu|Hãy thử ít từ hơn hoặc từ khác.|Không có hình ảnh|Không có video|Phần này có tính tương tác và không có trong bản sao này.|Mã nguồn biểu đồ (Mermaid)|Biểu đồ|Mở trong $|Quay lại tham chiếu $|Tải từ $",
  }),
);

type OwnWords = Omit<Words, keyof ComponentWords | keyof ReaderWords | "diagramControls">;

function parse(line: string): OwnWords {
  const parts = line.split("|");
  return Object.fromEntries(keys.map((key, at) => [key, parts[at] ?? ""])) as unknown as Words;
}

/** Codes that sites use beside the standard ones. */
const customCodes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cn: "zh-Hans",
    "zh-cn": "zh-Hans",
    "zh-tw": "zh-Hant",
    "zh-hk": "zh-Hant",
    jp: "ja",
    kr: "ko",
    ua: "uk",
  }),
);

/** The standard tag (BCP 47) of a language as a site names it; English where it names none. */
export function languageTag(code: string | undefined): string {
  if (code === undefined) return "en";
  const custom = customCodes.get(code.toLowerCase());
  if (custom !== undefined) return custom;
  return /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(code) ? code : "en";
}

/** The layout's words for a language tag; English for languages that it does not speak. */
export function wordsOf(tag: string): Words {
  const lower = tag.toLowerCase();
  const line = lines.get(lower) ?? lines.get(lower.split("-")[0] ?? "") ?? lines.get("en");
  return {
    ...parse(line ?? ""),
    ...componentWordsOf(lower),
    ...readerWordsOf(lower),
    diagramControls: diagramWordsOf(lower),
  };
}

/** What a language calls itself, e.g. `Deutsch`. */
export function languageName(code: string): string {
  const tag = languageTag(code);
  const name = new Intl.DisplayNames([tag], { type: "language", fallback: "code" }).of(tag) ?? code;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

const rightToLeft = new Set(["ar", "he", "fa", "ur"]);

export function textDirection(tag: string): "ltr" | "rtl" {
  return rightToLeft.has(tag.split("-")[0]?.toLowerCase() ?? "") ? "rtl" : "ltr";
}
