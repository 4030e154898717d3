// Whether a number is a sum of money, by what stands right beside it.

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Codes as people write them in passing, where no other word is spelled like them, and what currencies are called. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'eur usd gbp chf jpy cny pln sek nok dkk czk huf ron bgn inr brl cad aud nzd sgd hkd rub uah krw zar mxn btc eth usdt ' +
    'usdc euro euros euroa eura eurot ευρώ евро євро dollar dollars dollari dollaro dolar dolary dolarów dólar dólares ' +
    'dolares dollár доллар доллара долларов buck bucks pound pounds sterling pfund quid livre livres libra libras ' +
    'franken fränkli francs franc franchi frs fr sfr yen yuan rmb renminbi rupee rupees rupien rs rubel ruble rubles ' +
    'roubles руб рубль рубля рублей kr krone kronen kroner kronor krona zł zl złoty złotych złote zloty zlotys kč korun ' +
    'koruna koruny forint lei leu leva лв лева lira liras tl грн гривень гривні baht ringgit peso pesos dirham dirhams ' +
    'riyal riyals shekel shekels bitcoin bitcoins ether'
  ).split(' '),
);
/** Words without blanks between them: the next one follows directly. */
const UNSPACED =
  /^([万萬億亿千만억천]{0,3})(?:円|元|圆|圓|块|원|ドル|ユーロ|人民币|人民幣|美元|美金|欧元|歐元|港币|港幣|유로|달러)/u;
const ZEROS: Readonly<Record<string, number>> = { 千: 3, 천: 3, 万: 4, 萬: 4, 만: 4, 億: 8, 亿: 8, 억: 8 };
/** Between a number and its currency. */
const OF_COUNTRIES: ReadonlySet<string> = new Set(
  'us american canadian australian british swiss schweizer dansk danske norske svenska kanadische of'.split(' '),
);
/** By how many zeros a word makes the number before it larger. */
const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    lakh: 5,
    lakhs: 5,
    crore: 7,
    crores: 7,
    ...zeros(3, 'k tsd thousand tausend duizend mille mila mil tusen tusind tys тыс'),
    ...zeros(6, 'm mn mio mln million millions millionen millones millón milioni milione miljoen miljoner milhões млн'),
    ...zeros(9, 'bn mrd mld billion billions milliard milliards milliarde milliarden miliardi miljard млрд'),
  }),
);

function zeros(count: number, words: string): Readonly<Record<string, number>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, count]));
}

/** Behind: `5000,- Euro`, `5000 (EUR)`, `| 5000 | EUR |`, `5000-Euro-Angebot`. Before: `EUR: 5000`, `Betrag (EUR) 5000`. */
const NEXT = /^(?:[.,]?[-–—]{1,2})?[^\S\n]{0,3}[|([]?[^\S\n]{0,3}(\p{Sc}|\p{L}[\p{L}.]{0,14})/u;
const LAST = /(?:(\p{Sc})|(?<!\p{L})(\p{L}{1,12})\.?)[^\S\n]{0,3}[:=|()\]]{0,2}[^\S\n]{0,3}$/u;
/** Longer than either can see. */
const NEAR = 60;

export interface Beside {
  readonly isMoney: boolean;
  /** `k`, `million`: the word behind it that makes it larger, as it is written; empty without one. */
  readonly scale: string;
  readonly zeros: number;
}

/** What stands beside the number from `start` to `end`. */
export function besideNumber(text: string, start: number, end: number): Beside {
  const [, sign, word = ''] = LAST.exec(text.slice(Math.max(0, start - NEAR), start)) ?? [];
  const behind = behindNumber(text.slice(end, end + NEAR));
  const isMoney = behind.isMoney || sign !== undefined || isCurrency(word);
  return isMoney ? { ...behind, isMoney } : { isMoney, scale: '', zeros: 0 };
}

function behindNumber(text: string): Beside {
  let [rest, scale, count] = [text, '', 0];
  for (let word = 0; word < 3; word += 1) {
    const [all = '', written = ''] = NEXT.exec(rest) ?? [];
    const plain = folded(written);
    if (written === '') break;
    if (/^\p{Sc}/u.test(written) || isCurrency(written)) return { isMoney: true, scale, zeros: count };
    const [unspaced, signs = ''] = UNSPACED.exec(written) ?? [];
    if (unspaced !== undefined) {
      const more = [...signs].reduce((sum, sign) => sum + (ZEROS[sign] ?? 0), 0);
      return { isMoney: true, scale: scale || signs, zeros: count + more };
    }
    const larger = SCALES.get(plain);
    if (larger !== undefined && scale === '') [scale, count] = [written.replaceAll('.', ''), larger];
    else if (!OF_COUNTRIES.has(plain)) break;
    rest = rest.slice(all.length);
  }
  return { isMoney: false, scale, zeros: count };
}

const isCurrency = (word: string): boolean => CURRENCIES.has(word) || WORDS.has(folded(word));
const folded = (word: string): string => word.toLowerCase().replaceAll('.', '');

/** A number of which `values.ts` knows whole and decimals, with so many zeros more. */
export function enlarged(key: string, count: number): string {
  const [whole = '', decimals = ''] = key.split('.');
  const moved = `${whole}${decimals.slice(0, count).padEnd(count, '0')}`.replace(/^0+(?=\d)/, '');
  const rest = decimals.slice(count);
  return rest === '' ? moved : `${moved}.${rest}`;
}
