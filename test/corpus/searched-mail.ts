import { type Random, seededRandom } from '../../scripts/lib/soak/random.ts';

/** A mailbox of a year in three languages, and questions about it in other forms of its words. */

export const OWNER = 'maria@lindwerk.example';
export const MEMBERS = ['bob@lindwerk.example', 'tim@lindwerk.example'] as const;
export const ADA = 'ada@agents.localhost';

export interface WrittenMail {
  readonly number: number;
  readonly id: string;
  readonly threadId: string;
  readonly direction: 'in' | 'out';
  readonly from: string;
  readonly fromName: string;
  readonly to: readonly string[];
  readonly toNames: string;
  readonly subject: string;
  readonly text: string;
  readonly at: number;
  readonly files: readonly WrittenFile[];
  /** Who had it in their hands. */
  readonly had: ReadonlySet<string>;
  readonly about: About;
}

export interface WrittenFile {
  readonly name: string;
  /** What is read of it. */
  readonly text: string;
}

export interface About {
  readonly language: Language;
  readonly who: Person;
  readonly product: number;
  readonly act: number;
  readonly order: string;
  /** What its file is about, where it has one. */
  readonly clause: number;
}

type Language = 'en' | 'de' | 'ja';
interface Person {
  readonly name: string;
  readonly address: string;
}

export interface Task {
  readonly kind: string;
  readonly viewer: string | null;
  readonly wanted: {
    readonly query?: string;
    readonly from?: string;
    readonly to?: string;
    readonly since?: string;
    readonly before?: string;
    readonly direction?: 'in' | 'out';
    readonly has_attachment?: boolean;
    readonly thread?: string;
  };
  readonly target: WrittenMail;
}

/** Each as it stands in mails, and as it is asked for. */
const WORDS = {
  en: {
    names: `Jana Ritzel|Bob Hansen|Mary Ann Cole|Ann Cole|Petra Novak|Liam O'Brien|Grace Kim|Oscar Wright|Nina Holt|Sam Patel|Eve Stone|Hugo Marsh`,
    products: `batteries/battery|sails/sail|anchor/anchors|pumps/pump|winch/winches|compasses/compass|engine/engines|cushions/cushion|ropes/rope|propeller/propellers|chargers/charger|lamps/lamp`,
    acts: `We delivered the # on Tuesday./delivery of #|Our invoice for the # is attached to this mail./invoices #|The # arrived damaged, I am afraid./damage #|We can offer the # at a lower price./offers #|We repaired the # in our workshop./repair of #|The payment for the # was transferred today./payments #|We have to cancel the order of the #./cancelling #|Please confirm the # by Friday./confirmation #`,
    asked: (name: string, words: string) => `What did ${name} write about the ${words}?`,
    filler: `Thank you for your patience.|I hope all is well in the yard.|Let me know what you think.|The weather has been kind to us.|We will be closed over the holidays.`,
    subject: 'Your #',
    clauses: `warranty of 36 months/warranties|retention of title/retaining title|penalty for late delivery/penalties|liability insurance/insured liability|import duties/import duty|packing list/packing lists`,
  },
  de: {
    names: `Jürgen Müller|Sabine Groß|Käthe Weiß|Uwe Schröder|Anke Böttcher|Heike Vogel|Dirk Lange|Silke Brandt|Ralf Förster|Ute Krüger|Bernd Jäger|Inge Köhler`,
    products: `Batterien/Batterie|Segel/Segeln|Anker/Ankers|Pumpen/Pumpe|Winde/Winden|Kompasse/Kompass|Motoren/Motor|Polster/Polstern|Leinen/Leine|Ladegeräte/Ladegerät|Lampe/Lampen|Verträge/Vertrag`,
    acts: `Wir haben die # am Dienstag geliefert./Lieferung #|Anbei unsere Rechnung über die #./Rechnungen #|Die # kamen leider beschädigt an./Beschädigung #|Unser Angebot für die # gilt bis Monatsende./Angebote #|Wir haben die # in der Werkstatt repariert./Reparatur #|Hiermit bestellen wir die # verbindlich./Bestellungen #|Wir kündigen den Auftrag über die #./Kündigung #|Bitte bestätigen Sie die # bis Freitag./Bestätigung #`,
    asked: (name: string, words: string) => `Was hat ${name} über ${words} geschrieben?`,
    filler: `Vielen Dank für Ihre Geduld.|Wir hoffen, es geht Ihnen gut.|Melden Sie sich gern.|Das Wetter war uns gnädig.|Über die Feiertage haben wir geschlossen.`,
    subject: 'Ihre #',
    clauses: `Gewährleistung von 36 Monaten/Gewährleistungen|Eigentumsvorbehalt/Eigentumsvorbehalts|Vertragsstrafe bei Verzug/Vertragsstrafen|Haftpflichtversicherung/Haftpflichtversicherungen|Einfuhrzölle/Einfuhrzoll|Packliste/Packlisten`,
  },
  ja: {
    names: `佐藤健二|鈴木花子|高橋一郎|田中美咲|伊藤直樹|渡辺恵子|山本大輔|中村由美|小林誠|加藤さくら|吉田拓也|山田明日香`,
    products: `バッテリー/バッテリー|救命帆/救命帆|海錨/海錨|ポンプ/ポンプ|巻揚機/巻揚機|羅針盤/羅針盤|船外機/船外機|クッション/クッション|係留索/係留索|推進器/推進器|充電器/充電器|航海灯/航海灯`,
    acts: `先日#を納品いたしました。/#の納品|#の請求書をお送りします。/#の請求書|#が破損しておりました。/#の破損について|#の見積書を作成しました。/#の見積|工場で#を修理しました。/#の修理|#を注文いたします。/#の注文|#の契約を解約します。/#の解約|#の在庫を確認してください。/#の在庫確認`,
    asked: (name: string, words: string) => `${name}さんは${words}について何と書きましたか`,
    filler: `いつもお世話になっております。|よろしくお願いいたします。|ご連絡をお待ちしております。|良い天気が続いています。|年末年始は休業いたします。`,
    subject: '#の件',
    clauses: `保証期間三年/保証期間|所有権留保/所有権留保|遅延損害金/遅延損害金|賠償責任保険/賠償責任保険|輸入関税/輸入関税|梱包明細書/梱包明細`,
  },
} as const;

const LANGUAGES = ['en', 'de', 'ja'] as const;
const START = Date.parse('2025-11-01T08:00:00Z');
const YEAR_MS = 365 * 86_400_000;
const DAY_MS = 86_400_000;

const listed = (language: Language, of: 'products' | 'acts' | 'clauses'): readonly (readonly [string, string])[] =>
  WORDS[language][of].split('|').map((pair) => pair.split('/') as [string, string]);
const fillers = (language: Language): readonly string[] => WORDS[language].filler.split('|');

const peopleOf = (language: Language): Person[] =>
  WORDS[language].names.split('|').map((name, n) => ({
    name,
    address: `${
      language === 'ja'
        ? `mail${n}`
        : name
            .normalize('NFKD')
            .replace(/[^a-z]/gi, '')
            .toLowerCase()
    }@firm${n}.${language}.example`,
  }));

export function writeMailbox(seed: number, count: number): readonly WrittenMail[] {
  const random = seededRandom(seed);
  const mails: WrittenMail[] = [];
  const people = { en: peopleOf('en'), de: peopleOf('de'), ja: peopleOf('ja') };
  const one = <Value>(from: readonly Value[]): Value => from[random.between(0, from.length - 1)] as Value;
  while (mails.length < count) {
    const language = one(LANGUAGES);
    const about = {
      language,
      who: one(people[language]),
      product: random.between(0, 11),
      act: random.between(0, 7),
      order: `RS-${random.between(1000, 99_999)}`,
      clause: random.between(0, 5),
    };
    const threadId = `thread-${mails.length}`;
    const begun = START + (mails.length / count) * YEAR_MS;
    const readers = random.chance(0.3) ? [one(MEMBERS)] : random.chance(0.2) ? [OWNER] : [];
    for (let more = random.between(1, 3), n = 0; n < more && mails.length < count; n += 1) {
      const isOurs = n % 2 === 1 || (n === 0 && random.chance(0.2));
      const here = { ...about, act: n === 0 ? about.act : random.between(0, 7) };
      mails.push(
        written(random, { number: mails.length, threadId, at: begun + n * 7_200_000, isOurs, readers, about: here }),
      );
    }
  }
  return mails;
}

function written(
  random: Random,
  plan: Pick<WrittenMail, 'number' | 'threadId' | 'at' | 'about'> & { isOurs: boolean; readers: readonly string[] },
): WrittenMail {
  const { number, isOurs, readers, about } = plan;
  const { language, who } = about;
  const [product] = listed(language, 'products')[about.product] ?? [''];
  const [act] = listed(language, 'acts')[about.act] ?? [''];
  const [aside] = listed(language, 'products')[random.between(0, 11)] ?? [''];
  const lines = [
    ...(random.chance(0.5) ? [fillers(language)[random.between(0, 4)]] : []),
    act.replace('#', product),
    ...(random.chance(0.4) ? [`(${about.order})`] : []),
    ...Array.from({ length: random.between(0, 6) }, () => fillers(language)[random.between(0, 4)]),
    ...(random.chance(0.3) ? [`PS: ${aside}.`] : []),
  ];
  const text = [...lines, isOurs ? 'Ada' : who.name].join('\n');
  const to = [isOurs ? who.address : ADA, ...readers];
  const from = isOurs ? ADA : who.address;
  return {
    number,
    threadId: plan.threadId,
    at: plan.at,
    about,
    id: `<${number}@mail.example>`,
    direction: isOurs ? 'out' : 'in',
    from,
    fromName: isOurs ? 'Ada' : who.name,
    to,
    toNames: isOurs ? '' : 'Ada',
    subject: WORDS[language].subject.replace('#', product),
    text,
    files: !isOurs && random.chance(0.1) ? [fileOf(random, about)] : [],
    had: new Set([from, ...to]),
  };
}

/** A contract of some pages: it names three products, and of the clauses two. */
function fileOf(random: Random, { language, order, clause }: About): WrittenFile {
  const products = Array.from({ length: 3 }, () => listed(language, 'products')[random.between(0, 11)]?.[0]);
  const clauses = [clause, random.between(0, 5)].map((n) => listed(language, 'clauses')[n]?.[0]);
  const lines = Array.from({ length: random.between(5, 60) }, () => fillers(language)[random.between(0, 4)]);
  return { name: `${order}-plan.pdf`, text: [order, ...products, ...lines, ...clauses].join('\n') };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Questions that one mail, or few that are alike, can answer. */
export function questionsAbout(mails: readonly WrittenMail[], seed: number, count: number): readonly Task[] {
  const random = seededRandom(seed);
  const alike = Map.groupBy(mails, ({ about, direction }) =>
    [about.language, about.who.address, about.product, about.act, direction].join(),
  );
  const tasks: Task[] = [];
  // In a mailbox of that size many mails are alike; then it is only asked how long it takes.
  const crowd = Math.max(1, mails.length / 5000);
  for (let tries = 0; tasks.length < count && tries < count * 1000; tries += 1) {
    const target = mails[random.between(0, mails.length - 1)] as WrittenMail;
    const { about, direction } = target;
    const same = alike.get([about.language, about.who.address, about.product, about.act, direction].join()) ?? [];
    const task = same.length <= 3 * crowd ? questionOf(target, tasks.length, { mails, crowd }) : null;
    if (task) tasks.push(task);
  }
  return tasks;
}

const MAX_IN_REACH = 5;

type Wanted = Task['wanted'];

function questionOf(
  target: WrittenMail,
  number: number,
  { mails, crowd }: { mails: readonly WrittenMail[]; crowd: number },
): Task | null {
  const { about, at } = target;
  const { language, who } = about;
  const [act = '', product = ''] = [
    listed(language, 'acts')[about.act],
    listed(language, 'products')[about.product],
  ].map((pair) => pair?.[1]);
  const query = act.replace('#', product);
  const reader = MEMBERS.find((member) => target.had.has(member));
  const isRare = (holds: (mail: WrittenMail) => boolean) => mails.filter(holds).length <= MAX_IN_REACH * crowd;
  const isNear = (mail: WrittenMail) => mail.from === target.from && Math.abs(mail.at - at) < 3 * DAY_MS;
  const isTheirs = target.direction === 'in';
  const clause = listed(language, 'clauses')[about.clause]?.[1] ?? '';
  const holdsClause = (mail: WrittenMail) =>
    mail.from === target.from && mail.files.length > 0 && mail.about.clause === about.clause;
  const asked = WORDS[language].asked(who.name, query);
  const kinds: readonly (readonly [string, boolean, () => Wanted])[] = [
    ['a question in words', isTheirs, () => ({ query: asked })],
    ['from a name', isTheirs, () => ({ from: who.name, query })],
    ['by its date alone', isTheirs && isRare(isNear), () => ({ from: who.address, ...around(at) })],
    ['by a number', target.text.includes(about.order), () => ({ query: about.order.toLowerCase() })],
    ['what we wrote', !isTheirs, () => ({ to: who.name, direction: 'out', query })],
    ['of a thread', true, () => ({ thread: target.threadId, query })],
    ['by a member', reader !== undefined, () => ({ query: `${who.name} ${query}` })],
    ['of a month', isTheirs, () => ({ query: asked, since: monthOf(at), before: dayOf(at + 20 * DAY_MS) })],
    [
      'by what a file says',
      target.files.length > 0 && isRare(holdsClause),
      () => ({ query: WORDS[language].asked(who.name, clause) }),
    ],
    ['by the name of a file', target.files.length > 0, () => ({ query: about.order, has_attachment: true })],
  ];
  const [kind, isPossible, wanted] = kinds[number % kinds.length] ?? ['', false, () => ({})];
  if (!isPossible) return null;
  return { kind, wanted: wanted(), target, viewer: kind === 'by a member' ? (reader ?? null) : null };
}

const around = (at: number): Wanted => ({ since: dayOf(at - DAY_MS), before: dayOf(at + 2 * DAY_MS) });
const monthOf = (at: number): string => `${dayOf(at).slice(0, 8)}01`;
