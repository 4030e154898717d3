import { divided, folded } from '../../storage/search/fold.ts';

// Words that hold sentences together and say nothing of what a mail is about, as the index folds them: small letters, no
// accents. A new language is a line here. Scripts without spaces need none but those at the end.

const STOP_WORDS: Readonly<Record<string, string>> = {
  en:
    'a about after again all also am an and any anything are as at back be because been before being both but by can ' +
    'cannot could did do does doing done down else ever every few for from get gets give go going got had has have ' +
    'having he hello her here hers hi him his how i if in into is it its just kind know last let like many may me might ' +
    'more most much must my need never new no nobody not nothing now of off often ok on once one only or other our ' +
    'ours out over own per please put really regards said same say says see shall she should since so some somebody ' +
    'something soon still such sure take tell than thank thanks that the their them then there these they thing this ' +
    'those though time to today together tomorrow too under until up upon us very want was way we well were what when ' +
    'where whether which while who whom whose why will with within without would yes yesterday yet you your yours',
  de:
    'ab aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bekommt bekommen bin ' +
    'bis bist bitte da dabei dafur dahin damit danach danke dann daran darauf darf daruber das dass davon dazu dein ' +
    'deine deinen deiner dem den denn der des deshalb die dies diese diesem diesen dieser dieses dir dich doch dort du ' +
    'durch durfen ein eine einem einen einer eines einmal er es etwas euch euer fur ganz gar gegen geht gerade gern ' +
    'gibt grusse gruss gut guten hab habe haben hallo hast hat hatte hatten heute hier hin hinter ich ihm ihn ihnen ihr ' +
    'ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jemand jetzt jener kann kannst kein ' +
    'keine keinem keinen konnen konnte liebe lieber machen macht mal man manche mehr mein meine meinem meinen meiner ' +
    'mich mir mit muss musste nach neben nein nicht nichts nie niemand noch nun nur ob oder ohne schon sehr sein seine ' +
    'seinem seinen seiner seit selbst sich sie sind so sollen sollte soll sonst uber um und uns unser unsere unserem ' +
    'unseren unter vielleicht viel viele vielen vom von vor wann war waren warum was weg wegen weil weiter welche ' +
    'welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wir wird wirst wo woher wohin ' +
    'wollen will wurde wurden zu zum zur zwischen',
  fr:
    'a ai ainsi alors apres as au aucun aujourd aussi autre autres aux avant avec avez avoir avons bien bonjour bonsoir ' +
    'c ca car ce ceci cela celle celui ces cet cette ceux chaque chez comme comment cordialement d dans de des deux ' +
    'depuis deja doit donc dont du elle elles en encore entre est et etait etaient ete etes etre eu eux fait faire fois ' +
    'font hui il ils j je jusqu jusque l la le les leur leurs lors lui m ma mais me meme mes merci mien moi moins mon n ' +
    'ne ni non nos notre nous on ont ou oui par parce pas pendant peu peut peux plus plutot pour pourquoi pouvez qu ' +
    'quand que quel quelle quelles quels qui quoi rien s sa salut sans se sera ses si sien son sont sous suis sur t ta ' +
    'tant te tel tes toi ton toujours tous tout toute toutes tres tu un une va vers voici voila vont vos votre vous y',
  es:
    'a ademas ahi ahora al algo alguien algun alguna algunas alguno algunos alli ante antes aqui asi aun aunque buenas ' +
    'bueno buenos cada casi como con contra cual cuales cualquier cuando cuanto de del desde despues dia dias donde dos ' +
    'durante e el ella ellas ellos en entonces entre era eran eres es esa esas ese eso esos esta estaba estan estar ' +
    'estas este esto estos estoy fue fueron gracias ha hace hacer hacia han hasta hay he hemos hola hoy la las le les lo ' +
    'los mas me mi mientras mis mismo mucho muy nada nadie ni no nos nosotros nuestra nuestro o os otra otras otro ' +
    'otros para pero poco por porque pues puede puedes que quien quienes saludos se sea segun ser si sido siempre sin ' +
    'sino sobre solo son soy su sus tal tambien tan tanto te tengo tiene tienen todo todos tras tu tus un una unas uno ' +
    'unos usted ustedes va vamos ya yo',
  it:
    'a abbiamo ad adesso agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora avere avete aveva ' +
    'ben bene buongiorno c che chi ci ciao cio come con contro cordiali cosa cosi cui d da dagli dai dal dalla dalle ' +
    'degli dei del della delle dello dentro deve di dopo dove due e ecco ed egli era erano essere fa fare fino fra gia ' +
    'giorno gli grazie ha hai hanno ho i il in io l la le lei li lo loro lui ma mai me mentre mi mia mie miei mio molto ' +
    'ne negli nei nel nella nelle nessuno niente no noi non nostra nostro nulla o od oggi ogni oppure per perche pero ' +
    'piu po poi prima puo qual quale quali qualche quando quanto quella quelle quelli quello questa queste questi ' +
    'questo qui saluti se sei sempre senza si sia siamo siete solo sono sopra sotto sta stata stato su sua sue sugli ' +
    'sui sul sulla suo suoi tra tu tua tuo tutti tutto un una uno va verso vi voi',
  nl:
    'aan af al alle alleen als alstublieft altijd ander andere anders bedankt beetje ben beste bij binnen bent bijna ' +
    'daar dag dan dank dat de deze die dit doch doen door dus een eens eigenlijk elk en er even geen gedaan geweest ' +
    'goed goede graag groet groeten had hadden hallo hebben hebt heb heeft heel hem het hier hij hoe hun iemand iets ik ' +
    'in is ja je jij jou jouw jullie kan kon kunnen kunt maar mag me meer men met mij mijn moet moeten na naar niemand ' +
    'niet niets nog nooit nu of om omdat ons onder onze ook op over pas reeds samen sinds steeds te tegen toch toen tot ' +
    'tussen u uit uw van veel via voor vriendelijke waar waarom wanneer want waren was wat we weer wel welk welke ' +
    'werd wie wij wil worden wordt ze zelf zeer zich zij zijn zo zonder zou zullen',
  pt:
    'a agora ai ainda alem algo alguem algum alguma algumas alguns ali antes ao aos apenas apos aquela aquele aqui as ' +
    'assim ate bem boa bom cada com como contra cumprimentos da das de dela dele depois desde dessa desse desta deste ' +
    'dia do dois dos e ela elas ele eles em enquanto entao entre era eram essa essas esse esses esta estamos estao ' +
    'estar estas este estes estou eu faz fazer foi foram ha hoje isso isto ja la lhe lhes logo mais mas me mesmo meu ' +
    'meus minha minhas muito na nada nao nas nem nenhum nesta neste ninguem no nos nossa nosso num numa o obrigada ' +
    'obrigado ola onde os ou outra outras outro outros para pela pelas pelo pelos pode podem por porque pouco qual ' +
    'quando quanto que quem sao se seja sem sempre ser seu seus si sido so sobre sou sua suas tal tambem te tem temos ' +
    'tenho ter teu todas todo todos tu tua tudo um uma umas uns vai voce voces vos',
  pl:
    'a aby ale albo ani az bardzo bez bo by byc byl byla byli bylo byly bym cala caly chce chyba ci cie co cos czego ' +
    'czy czyli czesc dla dlaczego do dobry dziekuje dzien dzis gdy gdyz gdzie go i ich ile im inna inne inny iz ja jak ' +
    'jaka jaki jakie jako je jeden jednak jednego jego jej jemu jest jestem jestesmy jesli jeszcze juz kazda kazdy ' +
    'kiedy kilka kto ktora ktore ktorego ktorej ktory ktorych ktorym lub ma maja mam mamy mi mial mnie moga moge moj ' +
    'moja moje moze mozna my na nad nam nas nasz nasza nasze nic nich nie nigdy nim niz no o od ode on ona one oni ono ' +
    'oraz pan pani po pod poniewaz poza pozdrawiam prosze przed przede przez przy raz sa sam sie skad so swoje ta tak ' +
    'taka taki takie tam te tego tej ten teraz tez to tobie totez trzeba tu tutaj tych tylko tym u w wam was wasz we ' +
    'wiec witam wszystko wszyscy z za zawsze ze zeby',
};

/** Parts of one script, which are their own words. */
const STOP_PARTS: ReadonlySet<string> = new Set(
  '何 誰 今 今日 明日 昨日 私 僕 君 方 件 時 日 月 年 人 事 物 前 後 中 上 下 所 様 御 的 了 是 我 你 他 她 在 有 和 不 这 那 我们 你们 什么 谁 吗 请 谢谢 您 您好 你好'.split(
    ' ',
  ),
);

/** Of web addresses and mail addresses, in any language. */
const OF_LINKS: ReadonlySet<string> = new Set(['http', 'https', 'www', 'com', 'org', 'net', 'html']);

/** More words make a search slower and seldom better. */
const MAX_WORDS = 24;
/** As much of a mail as is asked about: who pastes a report into it asks in front of it. */
const MAX_READ = 4000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const SAME_SCRIPT = /[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** By each stop word, as bits the languages that have it. */
const LANGUAGES = new Map<string, number>();
for (const [at, words] of Object.values(STOP_WORDS).entries())
  for (const word of words.split(' ')) LANGUAGES.set(word, (LANGUAGES.get(word) ?? 0) | (1 << at));

/**
 * What a mail is about, as words to look for: those of its subject, then of its text, without the words that hold
 * sentences together in its language. Where there are too many, names, numbers and long words come first.
 */
export function contentWords({
  subject,
  text,
}: {
  readonly subject: string;
  readonly text: string;
}): readonly string[] {
  const whole = `${subject}\n${text.slice(0, MAX_READ)}`;
  const { unspaced } = divided(folded(whole));
  const words = divided(whole).rest.match(WORD) ?? [];
  const plain = words.map(folded);
  const language = languageOf(plain);
  const wanted = new Map<string, number>();
  for (const part of unspaced.flatMap(partsOf)) wanted.set(part, Array.from(part).length * 2);
  for (const [at, word] of words.entries()) {
    const one = plain[at] ?? '';
    if (((LANGUAGES.get(one) ?? 0) & language) !== 0 || OF_LINKS.has(one) || (one.length < 2 && !/\d/.test(one)))
      continue;
    wanted.set(one, Math.max(wanted.get(one) ?? 0, tellingOf(word)));
  }
  const all = [...wanted];
  if (all.length <= MAX_WORDS) return all.map(([word]) => word);
  const most = all.toSorted(([, a], [, b]) => b - a).slice(0, MAX_WORDS);
  return all.filter((one) => most.includes(one)).map(([word]) => word);
}

const tellingOf = (word: string): number => word.length + (/\d/.test(word) ? 4 : 0) + (/^\p{Lu}/u.test(word) ? 4 : 0);

/** Grammar is written in Hiragana, and a single character is a word only by chance. */
const partsOf = (run: string): readonly string[] => {
  const parts = (run.match(SAME_SCRIPT) ?? []).filter((part) => !HIRAGANA.test(part) && !STOP_PARTS.has(part));
  const longer = parts.filter((part) => Array.from(part).length > 1);
  return longer.length > 0 ? longer : parts;
};

/** The bit of the one that most of the words belong to; `war` is a stop word in German and a matter in English. */
function languageOf(words: readonly string[]): number {
  const counted = Object.keys(STOP_WORDS).map(() => 0);
  for (const word of words) {
    const languages = LANGUAGES.get(word) ?? 0;
    if (languages === 0) continue;
    for (let at = 0; at < counted.length; at += 1) if (languages & (1 << at)) counted[at] = (counted[at] ?? 0) + 1;
  }
  const most = Math.max(...counted);
  return most === 0 ? 0 : 1 << counted.indexOf(most);
}
