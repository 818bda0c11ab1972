/** What components say besides their author's words, in the page's language. */
export interface ComponentWords {
  readonly required: string;
  readonly optional: string;
  readonly deprecatedField: string;
  readonly default: string;
  readonly example: string;
  readonly prompt: string;
  /** Name of the buttons that show the entries of a changelog with a tag alone. */
  readonly filterByTag: string;
  /** Of the link to a changelog's feed. */
  readonly feed: string;
}

const keys = [
  "required",
  "optional",
  "deprecatedField",
  "default",
  "example",
  "prompt",
  "filterByTag",
  "feed",
] as const satisfies readonly (keyof ComponentWords)[];

/** One line for each language, in the order of `keys`, parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "required|optional|deprecated|default|Example|Prompt|Filter by tag|RSS feed",
    es: "obligatorio|opcional|obsoleto|predeterminado|Ejemplo|Prompt|Filtrar por etiqueta|Canal RSS",
    fr: "obligatoire|facultatif|obsolète|par défaut|Exemple|Prompt|Filtrer par étiquette|Flux RSS",
    de: "erforderlich|optional|veraltet|Standard|Beispiel|Prompt|Nach Stichwort filtern|RSS-Feed",
    it: "obbligatorio|facoltativo|deprecato|predefinito|Esempio|Prompt|Filtra per etichetta|Feed RSS",
    pt: "obrigatório|opcional|obsoleto|padrão|Exemplo|Prompt|Filtrar por etiqueta|Feed RSS",
    nl: "verplicht|optioneel|verouderd|standaard|Voorbeeld|Prompt|Filteren op label|RSS-feed",
    pl: "wymagane|opcjonalne|przestarzałe|domyślnie|Przykład|Prompt|Filtruj według tagu|Kanał RSS",
    ru: "обязательно|необязательно|устарело|по умолчанию|Пример|Промпт|Фильтр по тегам|RSS-лента",
    uk: "обов’язково|необов’язково|застаріло|за замовчуванням|Приклад|Промпт|Фільтр за тегами|RSS-стрічка",
    tr: "zorunlu|isteğe bağlı|kullanımdan kalktı|varsayılan|Örnek|İstem|Etikete göre filtrele|RSS akışı",
    zh: "必填|可选|已弃用|默认值|示例|提示词|按标签筛选|RSS 订阅",
    "zh-hant": "必填|選填|已棄用|預設值|範例|提示詞|依標籤篩選|RSS 訂閱",
    ja: "必須|任意|非推奨|デフォルト|例|プロンプト|タグで絞り込む|RSS フィード",
    ko: "필수|선택|지원 중단|기본값|예시|프롬프트|태그로 필터링|RSS 피드",
    ar: "مطلوب|اختياري|مهمل|الافتراضي|مثال|موجّه|تصفية حسب الوسم|خلاصة RSS",
    he: "חובה|רשות|הוצא משימוש|ברירת מחדל|דוגמה|הנחיה|סינון לפי תגית|ערוץ RSS",
    hi: "आवश्यक|वैकल्पिक|अप्रचलित|डिफ़ॉल्ट|उदाहरण|प्रॉम्प्ट|टैग से छाँटें|RSS फ़ीड",
    id: "wajib|opsional|usang|bawaan|Contoh|Prompt|Saring menurut tag|Umpan RSS",
    vi: "bắt buộc|tùy chọn|không còn dùng|mặc định|Ví dụ|Prompt|Lọc theo thẻ|Nguồn cấp RSS",
  }),
);

/** The words for a language tag (BCP 47); English for languages that are not there. */
export function componentWordsOf(tag: string): ComponentWords {
  const lower = tag.toLowerCase();
  const line = lines.get(lower) ?? lines.get(lower.split("-")[0] ?? "") ?? lines.get("en") ?? "";
  const parts = line.split("|");
  return Object.fromEntries(
    keys.map((key, at) => [key, parts[at] ?? ""]),
  ) as unknown as ComponentWords;
}
