import { languageTag } from "./words.ts";

/**
 * What a page of an API says itself, in the page's language, in the order of the lines below. `{}` stands
 * for what is put in; in every language in the same order.
 */
const keys = [
  "servers",
  "authorization",
  "pathParameters",
  "queryParameters",
  "headerParameters",
  "cookieParameters",
  "body",
  "response",
  "headers",
  "callbacks",
  "required",
  "deprecated",
  "readOnly",
  "writeOnly",
  "default",
  "options",
  "example",
  "constant",
  "childFields",
  "oneOf",
  "anyOf",
  "when",
  "repeats",
  "notShown",
  "more",
  "anyFields",
  "anyName",
  "noContent",
  "or",
  "scopes",
  "atLeast",
  "atMost",
  "between",
  "above",
  "below",
  "multipleOf",
  "length",
  "items",
  "distinct",
  "properties",
  "pattern",
  "encoded",
  "bearer",
  "basic",
  "oauth2",
  "openIdConnect",
  "mutualTls",
  "send",
  "receive",
  "payload",
  "parameters",
] as const;

export type ApiWords = Readonly<Record<(typeof keys)[number], string>>;

/** One line for each language that the layout speaks, parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Base URL|Authorization|Path parameters|Query parameters|Headers|Cookies|Body|Response|Headers|Callbacks|required|deprecated|read-only|write-only|default|Options|Example|Always|Child attributes|One of|Any of|when {} is {}|Has the fields of {}, in which it stands.|Its fields are not shown here.|{} more are not shown here.|Fields of any name.|any name|This response has no body.|or|Scopes|at least {}|at most {}|{} to {}|more than {}|less than {}|a multiple of {}|{} characters|{} items|no item twice|{} fields|matches {}|encoded as {}|The token goes into the header as {}.|User name and password, joined by a colon and encoded as Base64, go into the header as {}.|An access token by OAuth 2.0 goes into the header as {}.|A token by OpenID Connect goes into the header as {}.|The client shows a certificate (mutual TLS).|Send|Receive|Payload|Parameters",
    es: "URL base|Autorización|Parámetros de ruta|Parámetros de consulta|Encabezados|Cookies|Cuerpo|Respuesta|Encabezados|Callbacks|obligatorio|obsoleto|solo lectura|solo escritura|predeterminado|Opciones|Ejemplo|Siempre|Atributos|Uno de|Cualquiera de|cuando {} es {}|Tiene los campos de {}, dentro del cual se encuentra.|Sus campos no se muestran aquí.|Hay {} más que no se muestran aquí.|Campos con cualquier nombre.|cualquier nombre|Esta respuesta no tiene cuerpo.|o|Permisos|como mínimo {}|como máximo {}|de {} a {}|más de {}|menos de {}|múltiplo de {}|{} caracteres|{} elementos|sin elementos repetidos|{} campos|coincide con {}|codificado como {}|El token va en el encabezado como {}.|El usuario y la contraseña, unidos por dos puntos y codificados en Base64, van en el encabezado como {}.|Un token de acceso de OAuth 2.0 va en el encabezado como {}.|Un token de OpenID Connect va en el encabezado como {}.|El cliente presenta un certificado (TLS mutuo).|Enviar|Recibir|Contenido|Parámetros",
    fr: "URL de base|Autorisation|Paramètres de chemin|Paramètres de requête|En-têtes|Cookies|Corps|Réponse|En-têtes|Callbacks|obligatoire|obsolète|lecture seule|écriture seule|par défaut|Options|Exemple|Toujours|Attributs|L’un de|Au moins l’un de|quand {} vaut {}|A les champs de {}, dans lequel il se trouve.|Ses champs ne sont pas affichés ici.|{} de plus ne sont pas affichés ici.|Champs de n’importe quel nom.|n’importe quel nom|Cette réponse n’a pas de corps.|ou|Portées|au moins {}|au plus {}|de {} à {}|plus de {}|moins de {}|multiple de {}|{} caractères|{} éléments|sans doublon|{} champs|correspond à {}|encodé en {}|Le jeton va dans l’en-tête sous la forme {}.|Le nom d’utilisateur et le mot de passe, joints par deux-points et encodés en Base64, vont dans l’en-tête sous la forme {}.|Un jeton d’accès OAuth 2.0 va dans l’en-tête sous la forme {}.|Un jeton OpenID Connect va dans l’en-tête sous la forme {}.|Le client présente un certificat (TLS mutuel).|Envoyer|Recevoir|Contenu|Paramètres",
    de: "Basis-URL|Autorisierung|Pfadparameter|Abfrageparameter|Header|Cookies|Body|Antwort|Header|Callbacks|erforderlich|veraltet|nur lesbar|nur schreibbar|Standard|Werte|Beispiel|Immer|Untergeordnete Felder|Eines von|Mindestens eines von|wenn {} den Wert {} hat|Hat die Felder von {}, worin es steht.|Seine Felder werden hier nicht gezeigt.|{} weitere werden hier nicht gezeigt.|Felder mit beliebigem Namen.|beliebiger Name|Diese Antwort hat keinen Body.|oder|Berechtigungen|mindestens {}|höchstens {}|{} bis {}|mehr als {}|weniger als {}|ein Vielfaches von {}|{} Zeichen|{} Einträge|kein Eintrag doppelt|{} Felder|entspricht {}|kodiert als {}|Das Token steht im Header als {}.|Benutzername und Passwort, mit Doppelpunkt verbunden und als Base64 kodiert, stehen im Header als {}.|Ein Zugriffstoken nach OAuth 2.0 steht im Header als {}.|Ein Token nach OpenID Connect steht im Header als {}.|Der Client zeigt ein Zertifikat vor (gegenseitiges TLS).|Senden|Empfangen|Inhalt|Parameter",
    it: "URL di base|Autorizzazione|Parametri di percorso|Parametri di query|Intestazioni|Cookie|Corpo|Risposta|Intestazioni|Callback|obbligatorio|deprecato|sola lettura|sola scrittura|predefinito|Opzioni|Esempio|Sempre|Attributi|Uno di|Almeno uno di|quando {} è {}|Ha i campi di {}, in cui si trova.|I suoi campi non sono mostrati qui.|Altri {} non sono mostrati qui.|Campi con qualsiasi nome.|qualsiasi nome|Questa risposta non ha corpo.|o|Ambiti|almeno {}|al massimo {}|da {} a {}|più di {}|meno di {}|multiplo di {}|{} caratteri|{} elementi|nessun elemento ripetuto|{} campi|corrisponde a {}|codificato come {}|Il token va nell’intestazione come {}.|Nome utente e password, uniti da due punti e codificati in Base64, vanno nell’intestazione come {}.|Un token di accesso OAuth 2.0 va nell’intestazione come {}.|Un token OpenID Connect va nell’intestazione come {}.|Il client presenta un certificato (TLS reciproco).|Invia|Ricevi|Contenuto|Parametri",
    pt: "URL base|Autorização|Parâmetros de caminho|Parâmetros de consulta|Cabeçalhos|Cookies|Corpo|Resposta|Cabeçalhos|Callbacks|obrigatório|obsoleto|somente leitura|somente escrita|padrão|Opções|Exemplo|Sempre|Atributos|Um de|Qualquer um de|quando {} é {}|Tem os campos de {}, em que se encontra.|Os seus campos não são mostrados aqui.|Mais {} não são mostrados aqui.|Campos com qualquer nome.|qualquer nome|Esta resposta não tem corpo.|ou|Escopos|no mínimo {}|no máximo {}|de {} a {}|mais de {}|menos de {}|múltiplo de {}|{} caracteres|{} itens|sem itens repetidos|{} campos|corresponde a {}|codificado como {}|O token vai no cabeçalho como {}.|Usuário e senha, unidos por dois-pontos e codificados em Base64, vão no cabeçalho como {}.|Um token de acesso OAuth 2.0 vai no cabeçalho como {}.|Um token OpenID Connect vai no cabeçalho como {}.|O cliente apresenta um certificado (TLS mútuo).|Enviar|Receber|Conteúdo|Parâmetros",
    nl: "Basis-URL|Autorisatie|Padparameters|Queryparameters|Headers|Cookies|Body|Antwoord|Headers|Callbacks|verplicht|verouderd|alleen-lezen|alleen-schrijven|standaard|Opties|Voorbeeld|Altijd|Onderliggende velden|Een van|Minstens een van|als {} gelijk is aan {}|Heeft de velden van {}, waarin het staat.|De velden hiervan worden hier niet getoond.|Nog {} worden hier niet getoond.|Velden met elke naam.|elke naam|Dit antwoord heeft geen body.|of|Rechten|minstens {}|hoogstens {}|{} tot {}|meer dan {}|minder dan {}|een veelvoud van {}|{} tekens|{} items|geen item dubbel|{} velden|komt overeen met {}|gecodeerd als {}|Het token staat in de header als {}.|Gebruikersnaam en wachtwoord, verbonden met een dubbele punt en gecodeerd als Base64, staan in de header als {}.|Een toegangstoken van OAuth 2.0 staat in de header als {}.|Een token van OpenID Connect staat in de header als {}.|De client toont een certificaat (wederzijdse TLS).|Verzenden|Ontvangen|Inhoud|Parameters",
    pl: "Bazowy URL|Autoryzacja|Parametry ścieżki|Parametry zapytania|Nagłówki|Ciasteczka|Treść|Odpowiedź|Nagłówki|Wywołania zwrotne|wymagane|przestarzałe|tylko do odczytu|tylko do zapisu|domyślnie|Wartości|Przykład|Zawsze|Pola podrzędne|Jedno z|Co najmniej jedno z|gdy {} to {}|Ma pola {}, w którym się znajduje.|Jego pola nie są tu pokazane.|Nie pokazano tu jeszcze: {}.|Pola o dowolnej nazwie.|dowolna nazwa|Ta odpowiedź nie ma treści.|lub|Zakresy|co najmniej {}|co najwyżej {}|od {} do {}|więcej niż {}|mniej niż {}|wielokrotność {}|znaków: {}|elementów: {}|bez powtórzeń|pól: {}|pasuje do {}|zakodowane jako {}|Token trafia do nagłówka jako {}.|Nazwa użytkownika i hasło, połączone dwukropkiem i zakodowane jako Base64, trafiają do nagłówka jako {}.|Token dostępu OAuth 2.0 trafia do nagłówka jako {}.|Token OpenID Connect trafia do nagłówka jako {}.|Klient okazuje certyfikat (wzajemny TLS).|Wyślij|Odbierz|Zawartość|Parametry",
    ru: "Базовый URL|Авторизация|Параметры пути|Параметры запроса|Заголовки|Cookie|Тело|Ответ|Заголовки|Обратные вызовы|обязательно|устарело|только чтение|только запись|по умолчанию|Значения|Пример|Всегда|Вложенные поля|Одно из|Любое из|если {} равно {}|Содержит поля {}, внутри которого находится.|Поля здесь не показаны.|Не показано ещё: {}.|Поля с любыми именами.|любое имя|У этого ответа нет тела.|или|Области доступа|не менее {}|не более {}|от {} до {}|больше {}|меньше {}|кратно {}|символов: {}|элементов: {}|без повторов|полей: {}|соответствует {}|кодировка {}|Токен передаётся в заголовке как {}.|Имя пользователя и пароль, соединённые двоеточием и закодированные в Base64, передаются в заголовке как {}.|Токен доступа OAuth 2.0 передаётся в заголовке как {}.|Токен OpenID Connect передаётся в заголовке как {}.|Клиент предъявляет сертификат (взаимный TLS).|Отправка|Получение|Содержимое|Параметры",
    uk: "Базовий URL|Авторизація|Параметри шляху|Параметри запиту|Заголовки|Cookie|Тіло|Відповідь|Заголовки|Зворотні виклики|обов’язково|застаріле|лише читання|лише запис|за замовчуванням|Значення|Приклад|Завжди|Вкладені поля|Одне з|Будь-яке з|якщо {} дорівнює {}|Містить поля {}, усередині якого стоїть.|Поля тут не показані.|Не показано ще: {}.|Поля з будь-якими іменами.|будь-яке ім’я|Ця відповідь не має тіла.|або|Області доступу|не менше {}|не більше {}|від {} до {}|більше {}|менше {}|кратне {}|символів: {}|елементів: {}|без повторів|полів: {}|відповідає {}|кодування {}|Токен передається в заголовку як {}.|Ім’я користувача й пароль, з’єднані двокрапкою та закодовані в Base64, передаються в заголовку як {}.|Токен доступу OAuth 2.0 передається в заголовку як {}.|Токен OpenID Connect передається в заголовку як {}.|Клієнт пред’являє сертифікат (взаємний TLS).|Надсилання|Отримання|Вміст|Параметри",
    tr: "Temel URL|Yetkilendirme|Yol parametreleri|Sorgu parametreleri|Başlıklar|Çerezler|Gövde|Yanıt|Başlıklar|Geri çağrılar|zorunlu|kullanımdan kaldırıldı|salt okunur|salt yazılır|varsayılan|Seçenekler|Örnek|Her zaman|Alt alanlar|Şunlardan biri|Şunlardan herhangi biri|{} değeri {} olduğunda|İçinde bulunduğu {} ile aynı alanlara sahiptir.|Alanları burada gösterilmiyor.|{} tane daha burada gösterilmiyor.|Herhangi bir adda alanlar.|herhangi bir ad|Bu yanıtın gövdesi yoktur.|veya|Kapsamlar|en az {}|en çok {}|{} ile {} arası|{} değerinden büyük|{} değerinden küçük|{} katı|{} karakter|{} öğe|yinelenen öğe yok|{} alan|{} ile eşleşir|{} olarak kodlanır|Belirteç başlıkta {} olarak gönderilir.|İki noktayla birleştirilip Base64 ile kodlanan kullanıcı adı ve parola başlıkta {} olarak gönderilir.|OAuth 2.0 erişim belirteci başlıkta {} olarak gönderilir.|OpenID Connect belirteci başlıkta {} olarak gönderilir.|İstemci bir sertifika gösterir (karşılıklı TLS).|Gönder|Al|İçerik|Parametreler",
    zh: "基础 URL|授权|路径参数|查询参数|请求头|Cookie|请求体|响应|响应头|回调|必填|已弃用|只读|只写|默认值|可选值|示例|固定值|子属性|以下之一|以下任意|当 {} 为 {} 时|与其所在的 {} 具有相同的字段。|此处不显示其字段。|另有 {} 项未在此显示。|可包含任意名称的字段。|任意名称|此响应没有正文。|或|权限范围|至少 {}|最多 {}|{} 至 {}|大于 {}|小于 {}|{} 的倍数|{} 个字符|{} 项|不可重复|{} 个字段|匹配 {}|编码为 {}|令牌以 {} 的形式放在请求头中。|用户名和密码以冒号连接并进行 Base64 编码，以 {} 的形式放在请求头中。|OAuth 2.0 访问令牌以 {} 的形式放在请求头中。|OpenID Connect 令牌以 {} 的形式放在请求头中。|客户端出示证书（双向 TLS）。|发送|接收|消息内容|参数",
    "zh-hant":
      "基礎 URL|授權|路徑參數|查詢參數|標頭|Cookie|請求主體|回應|標頭|回呼|必填|已棄用|唯讀|唯寫|預設值|可選值|範例|固定值|子屬性|以下其中之一|以下任一|當 {} 為 {} 時|與其所在的 {} 具有相同的欄位。|此處不顯示其欄位。|另有 {} 項未在此顯示。|可包含任意名稱的欄位。|任意名稱|此回應沒有主體。|或|權限範圍|至少 {}|最多 {}|{} 至 {}|大於 {}|小於 {}|{} 的倍數|{} 個字元|{} 個項目|不可重複|{} 個欄位|符合 {}|編碼為 {}|權杖以 {} 的形式放在標頭中。|使用者名稱和密碼以冒號連接並以 Base64 編碼，以 {} 的形式放在標頭中。|OAuth 2.0 存取權杖以 {} 的形式放在標頭中。|OpenID Connect 權杖以 {} 的形式放在標頭中。|用戶端出示憑證（雙向 TLS）。|傳送|接收|訊息內容|參數",
    ja: "ベース URL|認証|パスパラメータ|クエリパラメータ|ヘッダー|Cookie|リクエストボディ|レスポンス|ヘッダー|コールバック|必須|非推奨|読み取り専用|書き込み専用|デフォルト|選択肢|例|固定値|子属性|次のいずれか 1 つ|次のいずれか|{} が {} の場合|これを含む {} と同じフィールドを持ちます。|フィールドはここでは省略しています。|ほかに {} 件を省略しています。|任意の名前のフィールド。|任意の名前|このレスポンスにボディはありません。|または|スコープ|{} 以上|{} 以下|{} ～ {}|{} より大きい|{} より小さい|{} の倍数|{} 文字|{} 件|重複なし|{} フィールド|{} に一致|{} でエンコード|トークンをヘッダーに {} の形で入れます。|ユーザー名とパスワードをコロンでつなぎ Base64 でエンコードして、ヘッダーに {} の形で入れます。|OAuth 2.0 のアクセストークンをヘッダーに {} の形で入れます。|OpenID Connect のトークンをヘッダーに {} の形で入れます。|クライアントが証明書を提示します（相互 TLS）。|送信|受信|ペイロード|パラメータ",
    ko: "기본 URL|인증|경로 매개변수|쿼리 매개변수|헤더|쿠키|본문|응답|헤더|콜백|필수|사용 중단|읽기 전용|쓰기 전용|기본값|옵션|예시|고정값|하위 속성|다음 중 하나|다음 중 하나 이상|{}이(가) {}일 때|자신을 포함하는 {}와(과) 같은 필드를 가집니다.|필드는 여기에 표시되지 않습니다.|{}개가 더 있으나 여기에 표시되지 않습니다.|임의의 이름을 가진 필드.|임의의 이름|이 응답에는 본문이 없습니다.|또는|권한 범위|{} 이상|{} 이하|{} ~ {}|{} 초과|{} 미만|{}의 배수|{}자|{}개 항목|중복 없음|{}개 필드|{}와(과) 일치|{}(으)로 인코딩|토큰을 헤더에 {} 형태로 넣습니다.|사용자 이름과 비밀번호를 콜론으로 연결하고 Base64로 인코딩하여 헤더에 {} 형태로 넣습니다.|OAuth 2.0 액세스 토큰을 헤더에 {} 형태로 넣습니다.|OpenID Connect 토큰을 헤더에 {} 형태로 넣습니다.|클라이언트가 인증서를 제시합니다(상호 TLS).|보내기|받기|페이로드|매개변수",
  }),
);

/** For a language as a site names it; English for those that are not here. */
export function apiWordsOf(language: string | undefined): ApiWords {
  const tag = languageTag(language).toLowerCase();
  const line = lines.get(tag) ?? lines.get(tag.split("-")[0] ?? "") ?? lines.get("en") ?? "";
  const texts = line.split("|");
  return Object.fromEntries(keys.map((key, at) => [key, texts[at] ?? ""])) as ApiWords;
}

/** `text` with each `{}` in turn replaced by the next value; values are not looked into. */
export function fillIn(text: string, ...values: readonly string[]): string {
  const [first = "", ...rest] = text.split("{}");
  return first + rest.map((part, index) => (values[index] ?? "") + part).join("");
}
