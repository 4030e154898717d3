import type { Persona } from '../../config/types.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { causeOf } from '../../languages/to-owners/notices.ts';
import { VENDORS, WAITING_NOTICES } from '../../languages/to-owners/waiting-notices.ts';
import { RECEIPT } from '../../languages/to-senders/receipt.ts';
import { instantOf, localTime } from '../../lib/schedule/zone.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { Block } from '../../mail/compose/compose.ts';
import { type WaitingNotice, waitingNotice } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Incident } from '../../storage/types/runs.ts';
import { inLine } from '../questions/approval-text.ts';
import { type OutageDeps, outageNow } from './outage-now.ts';
import { type OwnerMailDeps, readersOf, writeInEach } from './owner-mail.ts';

interface Deps extends OwnerMailDeps, OutageDeps {
  /** The file that holds the keys. */
  readonly envFile: string;
  keysOf(provider: string): { readonly wanted: readonly string[]; readonly missing: readonly string[] };
}

interface Told {
  readonly subject: string;
  readonly text: readonly Block[];
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
    const mail = await writeInEach(deps, persona, readers, async (reading) => ({
      ...((await toldTo(reading)) ?? { subject: '', text: [] }),
      ...{ kind: 'notice', purpose: job.id, namesItself: true, replyTo: null, headers: {} },
    }));
    await store.queueNotice(job.id, mail);
  });
}

/** Not as Markdown: they quote subjects and names of others. The subject has said what is wrong. */
const paragraphs = (...texts: readonly string[]): Block[] => texts.map((text) => ({ kind: 'text', text }));

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
  const words = WAITING_NOTICES[persona.language];
  const { quote } = RECEIPT[persona.language];
  const names = mails
    .slice(0, NAMED)
    .map(({ from_name, sender, subject }) => inLine(`${from_name || sender}: ${quote(subject)}`, MAX_NAMED_CHARS));
  const list = [...names, ...(mails.length > NAMED ? ['…'] : [])].join(', ');
  const since = localTime(persona.timezone, incident.since).slice(11, 16);
  const keys = keysOf(incident.provider);
  const subject = subjectOf(persona, incident, keys);
  const cure = isOfKey(incident) && keys.wanted.length > 0 ? words.putKey(envFile) : cureOf(persona, incident, hours);
  return { subject, text: paragraphs(words.waitSince(since, mails.length, list), cure) };
}

/** Of a 403 another mail has to tell first whether it is the key. */
const isOfKey = ({ code, cause }: Incident): boolean => code === 'provider_setup' && cause === 'auth';

function cureOf(persona: Persona, { code, cause, provider }: Incident, hours: number): string {
  const words = WAITING_NOTICES[persona.language];
  if (code !== 'provider_setup') return words.retrying(hours);
  if (cause === 'no_price') return words.sayPrice;
  if (cause === 'no_credit') return words.topUp(VENDORS[provider] ?? provider);
  return words.mendSettings(`personas/${persona.id}/persona.json`);
}

function subjectOf(persona: Persona, incident: Incident, keys: ReturnType<Deps['keysOf']>): string {
  const { code, cause, provider, message } = incident;
  const words = WAITING_NOTICES[persona.language];
  const who = { name: persona.name, provider: VENDORS[provider] ?? provider };
  if (cause === 'no_price') return words.noPrice(who);
  if (isOfKey(incident) && keys.missing[0] !== undefined) return words.keyMissing({ ...who, key: keys.missing[0] });
  const status = /\b[45]\d\d\b/.exec(message)?.[0] ?? null;
  if (isOfKey(incident) && keys.wanted[0] !== undefined)
    return words.keyRefused({ ...who, key: keys.wanted[0], status });
  const line = hideSecrets(message).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CAUSE_CHARS);
  const told = { ...who, cause: line || causeOf(cause, persona.language, { partly: false }) };
  if (code === 'request_failed') return words.refusedMail(told);
  return code === 'provider_setup' ? words.setup(told) : words.outage(told);
}

async function ofBudget(persona: Persona, { window: day, near }: WaitingNotice, store: Store): Promise<Told | null> {
  const words = WAITING_NOTICES[persona.language];
  const used = await store.budgetOfDay(day);
  const { usd_per_day: usd, runs_per_day: runs } = persona.budget;
  if (!used || (usd === null && runs === null)) return null;
  const isMoney = usd !== null && (runs === null || used.usd / usd >= used.runs / runs);
  const begin = instantOf(persona.timezone, Date.parse(`${day}T00:00:00Z`));
  const top = isMoney ? await store.dearestSender(begin) : undefined;
  const digits = isMoney && usd < 0.1 ? 4 : 2;
  const spent = {
    name: persona.name,
    spent: isMoney ? used.usd.toFixed(digits) : String(used.runs),
    limit: isMoney ? usd.toFixed(digits) : String(runs),
    unit: isMoney ? 'USD' : 'mails',
    mails: used.runs,
    most: top && top.usd > 0 ? `${top.sender}, ${top.usd.toFixed(digits)}` : null,
  } as const;
  const file = `personas/${persona.id}/persona.json`;
  const subject = near ? words.nearlySpent(spent) : words.spent(spent);
  const cure = near ? words.raise(file) : words.spentUntil('00:00', persona.timezone, file);
  return { subject, text: paragraphs(cure) };
}
