/** What the months are called where figures come from, short forms as well, from January on; lower case, no full stop. */
const NAMES = [
  'january jan januar jänner jän janvier janv enero ene gennaio gen januari janeiro styczeń stycznia sty',
  'february feb februar febr février févr fév febrero febbraio februari fevereiro fev luty lutego lut',
  'march mar märz mär mrz mars marzo maart mrt março marzec marca',
  'april apr avril avr abril abr aprile kwiecień kwietnia kwi',
  'may mai mayo maggio mag mei maio maj maja',
  'june jun juni juin junio giugno giu junho czerwiec czerwca cze',
  'july jul juli juillet juil julio luglio lug julho lipiec lipca lip',
  'august aug août aou agosto ago augustus sierpień sierpnia sie',
  'september sep sept septembre septiembre settembre set setembro wrzesień września wrz',
  'october oct oktober okt octobre octubre ottobre ott outubro out październik października paź',
  'november nov novembre noviembre novembro listopad listopada lis',
  'december dec dezember dez décembre déc diciembre dic dicembre desember dezembro grudzień grudnia gru',
];

/** Words of other meanings: a month only where a year follows. */
export const DOUBTFUL: ReadonlySet<string> = new Set(
  'may mar out set ago mag dic gen ene sie lis lip gru cze lut'.split(' '),
);

export const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, at) => names.split(' ').map((name): [string, number] => [name, at + 1])),
);
