import type { Persona } from '../../config/types.ts';
import { causeOf } from '../../languages/causes.ts';
import type { Language } from '../../languages/language.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { sumOf } from '../../languages/sizes.ts';
import { instantOf, localTime } from '../../lib/schedule/zone.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { type WaitingNotice, waitingNotice } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { Incident } from '../../storage/types/runs.ts';
import { answerAddress, inLine } from '../questions/approval-text.ts';
import { againBlocks, offering } from './notices.ts';
import { type OutageDeps, outageNow } from './outage-now.ts';
import { lookForEnd } from './outage-over.ts';
import { type OwnerMailDeps, readersOf, writeInEach } from './owner-mail.ts';

interface Deps extends OwnerMailDeps, OutageDeps {
  /** The file that holds the keys. */
  readonly envFile: string;
  /** `host`: where another service than the vendor's own is asked by its protocol. */
  keysOf(provider: string): {
    readonly host: string | null;
    readonly wanted: readonly string[];
    readonly missing: readonly string[];
  };
}

interface Told {
  readonly subject: string;
  readonly text: readonly LetterBlock[];
}

/** One mail to the owners for each outage and each day's budget: what is wrong, how to mend it, who waits. */
export function createWaitingNoticeWriter(deps: Deps): JobHandler {
  return handleJobs(waitingNotice, async (persona, job, store) => {
    const notice = job.payload;
    const outage = notice.code === 'budget' ? 'lasts' : await outageNow(deps, persona, store, notice);
    if (outage === 'over') return store.endJob(job.id);
    if (outage !== 'lasts') return store.delayJob(job.id, deps.clock.now() + outage.againAfterMs);
    const toldTo = (reading: Persona): Promise<Told | null> =>
      notice.code === 'budget' ? ofBudget(reading, notice, store) : ofOutage(deps, reading, notice, store);
    const readers = await byLanguage(store, persona, readersOf(deps, persona));
    if (readers.length === 0 || (await toldTo(persona)) === null) return store.endJob(job.id);
    // The administrator of a persona without owners decides nothing by mail.
    const isOffered = notice.code === 'budget' && notice.near !== true && persona.owners.length > 0;
    const offer = isOffered ? { token: deps.ids.random(16), again: { budget: notice.window } } : null;
    const mail = await writeInEach(deps, persona, readers, async (reading) => {
      const told = (await toldTo(reading)) ?? { subject: '', text: [] };
      const replyTo = offer === null ? null : answerAddress(persona, offer.token);
      const { language } = reading;
      const offered =
        offer === null || replyTo === null
          ? []
          : againBlocks(offer.again, { to: replyTo, subject: told.subject, token: offer.token, language });
      return {
        subject: told.subject,
        text: [...told.text, ...offered],
        kind: 'notice',
        purpose: job.id,
        namesItself: true,
        replyTo,
        headers: {},
      };
    });
    await store.queueNotice(job.id, mail, {
      ...(offer === null ? {} : { notice: offering(deps, mail, offer.token, offer.again) }),
      jobs: await lookAfter(notice, { to: readers.flatMap(({ to }) => to), now: deps.clock.now(), store }),
    });
  });
}

/** Of a mail that is not answered for its own sake, and of a budget, there is no end that anybody waits for. */
async function lookAfter(
  { code, window }: WaitingNotice,
  { to, now, store }: { readonly to: readonly string[]; readonly now: number; readonly store: Store },
): Promise<readonly NewJob[]> {
  if (code !== 'provider_unavailable' && code !== 'provider_setup') return [];
  const provider = (await store.incident(code))?.provider ?? '';
  return [lookForEnd({ code, window, provider: VENDORS[provider] ?? provider, to }, now)];
}

/** Not as Markdown: they quote subjects and names of others. The subject has said what is wrong. */
const paragraphs = (...texts: readonly string[]): LetterBlock[] => texts.map((text) => ({ kind: 'text', text }));

/** As people know the vendors of the bundled providers. */
const VENDORS: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  grok: 'xAI',
  openrouter: 'OpenRouter',
  ollama: 'Ollama',
};

/** Many services speak the protocol of OpenAI: one of them is named by its own host. */
const vendorOf = (provider: string, host: string | null): string => {
  if (provider === 'openai' && host !== null) return host;
  return VENDORS[provider] ?? provider;
};

const NAMED = 3;
const MAX_NAMED_CHARS = 160;
const COUNTED = 10_000;
/** A vendor's words can be long, and they can quote half a key. */
const MAX_CAUSE_CHARS = 120;

async function ofOutage(
  { envFile, keysOf }: Deps,
  persona: Persona,
  { code: waitsFor, hours = 48 }: WaitingNotice,
  store: Store,
): Promise<Told | null> {
  const incident = await store.incident(waitsFor);
  const found = await store.waitingMails({ limit: COUNTED });
  const mails = found.filter(({ code }) => code === null || code === waitsFor);
  if (!incident || mails.length === 0) return null;
  const names = mails
    .slice(0, NAMED)
    .map(({ from_name, sender, subject }) =>
      inLine(`${from_name || sender}: ${say(persona.language, 'receipt.quote', { text: subject })}`, MAX_NAMED_CHARS),
    );
  const list = [...names, ...(mails.length > NAMED ? ['…'] : [])].join(', ');
  const since = localTime(persona.timezone, incident.since).slice(11, 16);
  const keys = keysOf(incident.provider);
  const subject = subjectOf(persona, incident, keys);
  const cure =
    isOfKey(incident) && keys.wanted.length > 0
      ? say(persona.language, 'waitingNotices.putKey', { file: envFile })
      : cureOf(persona, incident, { hours, host: keys.host });
  // What the subject has no room for ends with what to do.
  const whole = lineOf(incident.message);
  const more = whole.length > MAX_CAUSE_CHARS && subject.includes(whole.slice(0, MAX_CAUSE_CHARS)) ? [whole] : [];
  const wait = say(persona.language, 'waitingNotices.waitSince', { since, mails: mails.length, list });
  return { subject, text: paragraphs(...more, wait, cure) };
}

const lineOf = (message: string): string => hideSecrets(message).replaceAll(/\s+/g, ' ').trim();

/** Of a 403 another mail has to tell first whether it is the key. */
const isOfKey = ({ code, cause }: Incident): boolean => code === 'provider_setup' && cause === 'auth';

function cureOf(
  persona: Persona,
  { code, cause, provider }: Incident,
  { hours, host }: { readonly hours: number; readonly host: string | null },
): string {
  if (code !== 'provider_setup') return say(persona.language, 'waitingNotices.retrying', { hours });
  if (cause === 'no_price') return say(persona.language, 'waitingNotices.sayPrice');
  if (cause === 'no_credit')
    return say(persona.language, 'waitingNotices.topUp', { provider: vendorOf(provider, host) });
  return say(persona.language, 'waitingNotices.mendSettings', { file: `personas/${persona.id}/persona.json` });
}

function subjectOf(persona: Persona, incident: Incident, keys: ReturnType<Deps['keysOf']>): string {
  const { code, cause, provider, message } = incident;
  const who = { name: persona.name, provider: vendorOf(provider, keys.host) };
  if (cause === 'no_price') return say(persona.language, 'waitingNotices.noPrice', who);
  if (isOfKey(incident) && keys.missing[0] !== undefined)
    return say(persona.language, 'waitingNotices.keyMissing', { ...who, key: keys.missing[0] });
  const status = /\b[45]\d\d\b/.exec(message)?.[0] ?? null;
  if (isOfKey(incident) && keys.wanted[0] !== undefined)
    return status === null
      ? say(persona.language, 'waitingNotices.keyRefused', { ...who, key: keys.wanted[0] })
      : say(persona.language, 'waitingNotices.keyRefusedWith', { ...who, key: keys.wanted[0], status });
  const line = lineOf(message).slice(0, MAX_CAUSE_CHARS);
  const told = { ...who, cause: line || causeOf(cause, persona.language, { partly: false }) };
  if (code === 'request_failed') return say(persona.language, 'waitingNotices.refusedMail', told);
  return code === 'provider_setup'
    ? say(persona.language, 'waitingNotices.setup', told)
    : say(persona.language, 'waitingNotices.outage', told);
}

interface Spent {
  readonly name: string;
  /** Such as 2 of 2 USD, or 40 of 40 mails. */
  readonly spent: number;
  readonly limit: number;
  readonly unit: 'USD' | 'mails';
  /** Behind the sign of a sum. */
  readonly digits: number;
  readonly mails: number;
  /** The sender who spent the most, and how much. */
  readonly most: { readonly sender: string; readonly usd: number } | null;
}

/** `near`: not all of it yet. */
export function spentSaid(day: Spent, near: boolean, language: Language): string {
  const { name, unit, mails, digits } = day;
  const written = (amount: number) => (unit === 'USD' ? sumOf(amount, language, digits) : String(amount));
  const [spent, limit] = [written(day.spent), written(day.limit)];
  // More than the limit was spent where it was lowered meanwhile: "5 of 1 mails" would be nonsense.
  const how = day.spent > day.limit && spent !== limit ? 'over' : 'paid';
  const paid = say(language, `waitingNotices.${how}.${unit}`, { spent, limit });
  const top = day.most && `${day.most.sender}, ${sumOf(day.most.usd, language, digits)}`;
  const most = top === null ? '' : say(language, 'waitingNotices.most', { most: top });
  return say(language, `waitingNotices.${near ? 'nearlySpent' : 'spent'}.${unit}`, { name, paid, mails, most });
}

async function ofBudget(persona: Persona, { window: day, near }: WaitingNotice, store: Store): Promise<Told | null> {
  const used = await store.budgetOfDay(day);
  const { usd_per_day: usd, runs_per_day: runs } = persona.budget;
  if (!used || (usd === null && runs === null)) return null;
  const isMoney = usd !== null && (runs === null || used.usd / usd >= used.runs / runs);
  const begin = instantOf(persona.timezone, Date.parse(`${day}T00:00:00Z`));
  const top = isMoney ? await store.dearestSender(begin) : undefined;
  const digits = isMoney && usd < 0.1 ? 4 : 2;
  const spent = {
    name: persona.name,
    spent: isMoney ? used.usd : used.runs,
    limit: (isMoney ? usd : runs) ?? 0,
    unit: isMoney ? 'USD' : 'mails',
    digits,
    mails: used.runs,
    most: top?.sender && top.usd > 0 ? { sender: top.sender, usd: top.usd } : null,
  } as const;
  const file = `personas/${persona.id}/persona.json`;
  const subject = spentSaid(spent, near === true, persona.language);
  const cure = near
    ? say(persona.language, 'waitingNotices.raise', { file })
    : say(persona.language, 'waitingNotices.spentUntil', { until: '00:00', zone: persona.timezone, file });
  return { subject, text: paragraphs(cure) };
}
