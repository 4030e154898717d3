/** How much a character speaks for a language: 1 what it is made of, 0 what it does not have. */
export type Language = (character: string) => number;

/** Letters of an alphabet, the most frequent first: those of a text read by a wrong charset are as often rare ones. */
const byFrequency = (letters: string): Language => {
  const each = [...letters];
  const weights = new Map(each.map((letter, rank) => [letter, 1 - rank / each.length]));
  return (character) => weights.get(character.toLowerCase()) ?? 0;
};

/** What Latin letters a language has beyond those of ASCII. */
const byLetters = (letters: string): Language => {
  const has = new Set(letters);
  return (character) => (has.has(character.toLowerCase()) ? 1 : 0);
};

const byCommon = (common: string, others: readonly (readonly [range: RegExp, weight: number])[]): Language => {
  const has = new Set(common);
  return (character) => (has.has(character) ? 1 : (others.find(([range]) => range.test(character))?.[1] ?? 0));
};

const HAN: readonly [RegExp, number] = [/[\u4e00-\u9fff]/, 0.45];
const FULL_WIDTH: readonly [RegExp, number] = [/[\u3001-\u3003\u3008-\u3011\uff01-\uff5e\u2014\u2026]/, 0.8];

export const WESTERN: readonly Language[] = [
  'äöüß',
  'éèàêçâîôûùëïœæÿ',
  'áéíóúñü¿¡ºª',
  'áàâãçéêíóôõúüºª',
  'àèéìòù',
  'åäöæøéü',
  'áðéíóúýþæö',
  'àçèéíïòóúü',
  'éëïöüèêá',
].map(byLetters);

export const CENTRAL: readonly Language[] = [
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'ąćęłńóśźż',
  'áéíóöőúüű',
  'ăâîșțşţ',
  'čćđšž',
].map(byLetters);

export const TURKISH: readonly Language[] = [byLetters('çğıöşüâîi̇İ')];
export const BALTIC: readonly Language[] = ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž'].map(byLetters);
export const VIETNAMESE: readonly Language[] = [byLetters('àáâãèéêìíòóôõùúýăđĩũơư\u0300\u0301\u0303\u0309\u0323')];

export const CYRILLIC: readonly Language[] = [
  'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё',
  'оаинвітрескдлумпязьбгйчхцєжїшщюфґ',
  'аоиенрстјувдклмпзбгчњшцжљћђџх',
].map(byFrequency);
export const GREEK: readonly Language[] = [byFrequency('αοιετσνηυρπκμλωςάίήόέγδύθχφώβξζψϊϋΐΰ')];
export const HEBREW: readonly Language[] = [byFrequency('יוהלאתרבשמנדעחקפכגטםצןזסךףץ')];
export const ARABIC: readonly Language[] = [byFrequency('اليمنتروبدهعسفكقحجذةأشىصخطضزثغإئءؤظآ،؟')];
export const THAI: readonly Language[] = [byFrequency('า่นร้อกงเัีมวยลิสตดทะคืปบหุแพจขำ์ไใูชถโผณ็ธซศษฟภญฉฐฮๆฝฆ')];

export const JAPANESE: readonly Language[] = [
  byCommon(
    '日本人年大一国会中出時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨注文椅送願致連絡件明新方三二十事者社自地業手力問代長場内',
    [[/[\u3041-\u3096]/, 1], [/[\u30a1-\u30fc]/, 0.85], FULL_WIDTH, HAN, [/[\uff61-\uff9f]/, 0.1]],
  ),
];
export const SIMPLIFIED: readonly Language[] = [
  byCommon(
    '的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃通师立象数四失满战远士音轻目条呢请订购您谢件收附联系电话把',
    [FULL_WIDTH, HAN],
  ),
];
export const TRADITIONAL: readonly Language[] = [
  byCommon(
    '的一是了我不人在他有這個上們來到時大地為子中你說生國年著就那和要她出也得裡後自以會家可下而過天去能對小多然於心學麼之都好看起發當沒成只如事把還用第樣道想作種開美總從無情己面最女但現前些所同日手又行意動方期它頭經長兒回位分愛老因很給名法間斯知世什兩次使身者被高已親其進此話常與活正感見明問力理爾點文幾定本公特做外孩相西果走將月十實向聲車全信重三機工物氣每並別真打太新比才便夫再書部水像眼等體卻加電主界門利海受聽表德少克代員許先口由死安寫性馬光白或住難望教命花結樂色更拉東神記處讓母父應直字場平報友關放至張認接告入笑內英軍候民歲往何度山覺路帶萬男邊風解叫任金快原吃通師立象數四失滿戰遠士音輕目條呢請訂購您謝件收附聯繫',
    [FULL_WIDTH, HAN],
  ),
];
export const KOREAN: readonly Language[] = [
  byCommon(
    '이다는의에을가고하지기를은사로들한도어리자나시그서게인해아대있라부으만일제정수여과구장주전보원니상스것었조안습요니까세면및연동신비내공관용무위우성진계년경생화모유드할오중마번분',
    [
      [/[\uac00-\ud7a3]/, 0.6],
      [/[\u3001-\u3003\u3008-\u3011\uff01-\uff5e]/, 0.5],
      [/[\u4e00-\u9fff]/, 0.1],
    ],
  ),
];
