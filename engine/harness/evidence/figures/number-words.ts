/** Counts as people write them out, from none to twelve, in the languages of the wording; lower case. */
const NAMES = [
  'zero none no null keine kein keinen zéro aucun aucune cero ninguno ninguna nessuno nessuna nul geen nenhum nenhuma żaden żadna żadne 零',
  'one a an ein eine einen un une uno una één een um uma jeden jedna jedno 一',
  'two both zwei beide deux dos due twee dois duas dwa dwie dwóch 二 两 兩',
  'three drei trois tres tre drie três trzy trzech 三',
  'four vier quatre cuatro quattro quatro cztery czterech 四',
  'five fünf cinq cinco cinque vijf pięć pięciu 五',
  'six sechs seis sei zes sześć sześciu 六',
  'seven sieben sept siete sette zeven sete siedem siedmiu 七',
  'eight acht huit ocho otto oito osiem ośmiu 八',
  'nine neun neuf nueve nove negen dziewięć dziewięciu 九',
  'ten zehn dix diez dieci tien dez dziesięć dziesięciu 十',
  'eleven elf onze once undici jedenaście jedenastu 十一',
  'twelve zwölf douze doce dodici twaalf doze dwanaście dwunastu 十二',
];

const VALUES: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, value) => names.split(' ').map((name): [string, number] => [name, value])),
);

/** Chinese and Japanese set a counter right behind it: 三件, 四个. */
const COUNTED = /^[零一二两兩三四五六七八九十]+(?=\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|$)/u;

/** The count in "four", "four errors", "三件"; null where the first word is none. */
export function countInWords(shown: string): number | null {
  const [first = ''] = shown.trim().toLowerCase().normalize('NFC').split(/\s+/);
  return VALUES.get(first) ?? VALUES.get(COUNTED.exec(first)?.[0] ?? '') ?? null;
}
