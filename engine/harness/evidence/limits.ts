import { type Judged, quoted } from './claims.ts';
import { describeSample, samplesOf } from './coverage.ts';
import { type Evidence, nameOfSource } from './evidence.ts';
import { figuresIn } from './numbers.ts';
import { namesSource } from './quantities.ts';
import { anyOf, plain, type Sentence } from './text.ts';

interface Known {
  readonly evidence: readonly Evidence[];
  readonly now: number;
  /** Call ids whose source says something else by now. */
  readonly drifted: ReadonlySet<string>;
  shownText(): string;
}

/** What an answer rests on and does not say: a part only, old data, a source that has changed. Pure. */
export function judgeLimits(text: string, sentences: readonly Sentence[], known: Known): readonly Judged[] {
  const read = known.evidence.filter(({ ok }) => ok);
  if (read.length === 0) return [];
  return [...judgeSamples(text, sentences, known), ...judgeAges(text, read, known), ...judgeDrift(text, read, known)];
}

const SAMPLE_SAID =
  anyOf(`truncated|sample|excerpt|excerpts|part of|parts of|partly|only part|partial|cut off|the first|the beginning|first \\d+|auszug|
  auszüge|stichprobe|ein teil|teil der|teil des|teilweise|die ersten|den ersten|der anfang|gekürzt|extrait|une partie|les premi[eè]r[e]?s|muestra|una parte|
  las primeras|los primeros|campione|le prime|i primi|amostra|uma parte|as primeiras|os primeiros|steekproef|een deel|de eerste|próbka|część|pierwsze|utdrag|
  en del|delvis|de första|de første|часть|первые`);
const SAMPLE_INSIDE = /サンプル|一部|最初の|部分|样本|前\d|일부|처음/u;
const WHOLE =
  anyOf(`all|every|each|entire|whole|complete|completely|fully|sämtliche|alle|allen|ganze|ganzen|vollständig|komplett|tous|toutes|entier|
  entière|todo|todos|toda|todas|completo|completa|tutti|tutte|intero|intera|inteiro|inteira|hele|volledig|wszystkie|cały|całą|alla|hela|alt|все|весь|всё|полностью`);
const READ_IT =
  anyOf(`i(?:'ve| have)? (?:read|checked|gone through|went through|reviewed|searched|looked (?:at|through)|examined)|ich habe(?: [^ .;,]+){0,14}?
  (?:gelesen|geprüft|durchgesehen|durchsucht|ausgewertet)|j'ai (?:lu|vérifié|parcouru|examiné)|he (?:leído|revisado)|ho (?:letto|controllato)|
  ik heb(?: [^ .;,]+){0,14}? (?:gelezen|gecontroleerd)|przeczytałem|przeczytałam|jag har (?:läst|kontrollerat)|jeg har (?:læst|lest)|я (?:прочитал|прочитала|проверил)`);

function judgeSamples(text: string, sentences: readonly Sentence[], known: Known): readonly Judged[] {
  const samples = samplesOf(known.evidence).filter(({ item }) => restsOn(text, item, known));
  if (samples.length === 0) return [];
  const whole = sentences.find((sentence) => WHOLE.test(plain(sentence.text)) && READ_IT.test(plain(sentence.text)));
  const said = plain(text);
  const told = SAMPLE_SAID.test(said) || SAMPLE_INSIDE.test(said);
  return samples.map((sample): Judged => {
    const base = { kind: 'scope', claim: quoted(whole?.text ?? text), evidence_ids: [sample.item.id] } as const;
    if (told && !whole) return { claim: { ...base, verdict: 'supported' } };
    return {
      claim: { ...base, verdict: 'overstated', why: `only a part was read: ${describeSample(sample)}` },
      change: { at: 'end', by: `Note: this rests on a part only of ${describeSample(sample)}.` },
    };
  });
}

/** Shares a figure or two rarer words with a result that the mail does not have, or names its source. */
function restsOn(text: string, item: Evidence, { shownText }: Known): boolean {
  if (namesSource(text, item)) return true;
  const content = item.content.toLowerCase();
  const shown = shownText().toLowerCase();
  const words = new Set(text.toLowerCase().match(/\p{L}{6,}|\d{2,}/gu) ?? []);
  const shared = [...words].filter((word) => content.includes(word) && !shown.includes(word));
  return shared.some((word) => /\d/.test(word)) || shared.length >= 2;
}

const DAY_MS = 86_400_000;
/** How long data stays fresh where its source does not say: `fresh_for_s` in the result says otherwise. */
const FRESH_MS = DAY_MS;
const AGE_SAID =
  /\d (?:days?|weeks?|months?|hours?|tagen?|wochen?|stunden?|jours?|semaines?|días?|semanas?|giorni|settimane|dias?|dagen|weken|dni|dagar|dage|дней|недель)|(?:日|天|일) ?(?:前|전)|as of|stand(?: vom)?:? |à la date|a fecha|al \d/iu;

/** The newest result of each source, where what it tells was old when it was read, or has become so while the run waited. */
function judgeAges(text: string, read: readonly Evidence[], known: Known): readonly Judged[] {
  const newest = new Map(read.map((item) => [`${item.tool} ${item.source}`, item]));
  return [...newest.values()].flatMap((item): Judged[] => {
    const age = ageOf(item, known.now);
    if (age === null || !restsOn(text, item, known)) return [];
    const days = figuresIn(text).dates.flatMap((date) => date.days);
    const told = AGE_SAID.test(text) || days.includes(new Date(age.at).toISOString().slice(5, 10));
    const base = { kind: 'freshness', claim: quoted(text), evidence_ids: [item.id] } as const;
    if (told) return [{ claim: { ...base, verdict: 'supported' } }];
    const when = `${new Date(age.at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return [
      {
        claim: { ...base, verdict: 'overstated', why: `the data of ${nameOfSource(item)} is of ${when}` },
        change: { at: 'end', by: `Note: the data of ${nameOfSource(item)} is of ${when}, ${inWords(age.ms)} old.` },
      },
    ];
  });
}

/** Null while it is fresh. */
function ageOf({ result, observedAt }: Evidence, now: number): { at: number; ms: number } | null {
  const has = (name: string): unknown =>
    typeof result === 'object' && result !== null ? Reflect.get(result, name) : undefined;
  const given = has('fresh_for_s');
  const freshMs = typeof given === 'number' && given >= 0 ? given * 1000 : FRESH_MS;
  const until = Date.parse(String(has('data_until') ?? has('as_of') ?? ''));
  const at = Number.isNaN(until) ? observedAt : until;
  return at === null || now - at <= freshMs ? null : { at, ms: now - at };
}

function inWords(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 48) return hours <= 1 ? `${Math.max(1, Math.floor(ms / 60_000))} minutes` : `${hours} hours`;
  return `${Math.floor(hours / 24)} days`;
}

function judgeDrift(text: string, read: readonly Evidence[], { drifted }: Known): readonly Judged[] {
  return read
    .filter((item) => drifted.has(item.id) && namesSource(text, item))
    .map((item) => ({
      claim: {
        kind: 'citation',
        claim: quoted(text),
        verdict: 'drifted',
        evidence_ids: [item.id],
        why: `${nameOfSource(item)} has changed since it was read`,
      },
      change: { at: 'end', by: `Note: ${nameOfSource(item)} has changed since it was read for this answer.` },
    }));
}
