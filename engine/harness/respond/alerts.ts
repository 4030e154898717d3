import type { Persona } from '../../config/types.ts';
import { causeOf } from '../../languages/causes.ts';
import { say } from '../../languages/say.ts';
import { toolInWords } from '../../languages/tools.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { waitingNotice } from '../../record/jobs/job-kinds.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { LoopState } from '../../record/state.ts';
import { taskOf } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { EndDecision } from '../loop/end.ts';
import { partlyBecause } from './texts.ts';

/** Ends that only the owner can do something about, although the sender has an answer. */
const OWNERS_MATTER: ReadonlySet<string> = new Set(['provider', 'unparsable', 'repeated_crash']);

/**
 * What the owner hears of a run's end: one notice per run that went wrong or left an effect that nobody can be sure
 * of, one a day of a budget that is spent.
 */
export function ownerAlerts(end: {
  loaded: LoadedRun;
  persona: Pick<Persona, 'owners' | 'language'>;
  decision: EndDecision | null;
  state: LoopState;
  day: string;
  now: number;
}): readonly NewJob[] {
  return [...usageNotice(end), ...alertsOfEnd(end)];
}

/** The id names the model: it is mailed once, ever. */
function usageNotice({ state: { usageDiffers: differs }, persona: { language }, now }: End): readonly NewJob[] {
  if (!differs) return [];
  const { provider, model, said, own } = differs;
  const payload = inEach(language, (each) => {
    const count = (tokens: number) => tokens.toLocaleString(each);
    return {
      subject: say(each, 'usage.subject'),
      text: say(each, 'usage.text', { model: `${provider}/${model}`, said: count(said), own: count(own) }),
    };
  });
  return [notice.job({ id: `notice:usage_differs:${provider}/${model}`, due_at: now, payload })];
}

function alertsOfEnd(end: End): readonly NewJob[] {
  const { decision } = end;
  if (decision === null) return [];
  // Of a task's failures its owners hear once per incident, from the schedule.
  if (taskOf(end.loaded) && !(decision.decision === 'FINAL_PARTIAL' && decision.reason === 'budget' && isOfDay(end)))
    return unknownEffects(end);
  // Who cancelled it knows of that.
  if (decision.decision === 'FAIL' && decision.reason === 'cancelled') return unknownEffects(end);
  if (decision.decision === 'FAIL') return told(end, 'failed');
  const isPartial = decision.decision === 'FINAL_PARTIAL';
  if (isPartial && decision.reason === 'budget') return [budgetNotice(end), ...unknownEffects(end)];
  if (isPartial && OWNERS_MATTER.has(decision.reason)) return told(end, 'partial');
  return unknownEffects(end);
}

const unknownTools = ({ outcomes }: LoopState): readonly string[] => [
  ...new Set(outcomes.filter(({ code }) => code === 'side_effect_unknown').map(({ tool }) => tool)),
];

/** Only a person can look whether it was done; the sender may not even know what a tool is. */
const unknownEffects = (end: End): readonly NewJob[] =>
  unknownTools(end.state).length === 0 ? [] : [runNotice(end, 'unknown')];

/** The answer says what went wrong, so an owner who is the sender, and the only owner, has heard of it. */
function told(end: End, how: 'failed' | 'partial'): readonly NewJob[] {
  const { loaded, persona, state } = end;
  const [owner, ...others] = persona.owners;
  const isOwnMail =
    loaded.run.tier === 'owner' &&
    others.length === 0 &&
    owner !== undefined &&
    matchesPattern(loaded.run.sender ?? '', owner);
  return isOwnMail && unknownTools(state).length === 0 ? [] : [runNotice(end, how)];
}

type End = Parameters<typeof ownerAlerts>[0];

function runNotice(end: End, how: 'failed' | 'partial' | 'unknown'): NewJob {
  const { loaded, state, now } = end;
  const reason = end.decision?.reason ?? 'unknown';
  const because = end.decision?.decision === 'FINAL_PARTIAL' ? partlyBecause(end.decision) : reason;
  const { run, message } = loaded;
  const [who, about] = [message.from_address ?? '?', message.subject];
  const unknown = unknownTools(state);
  const payload = inEach(end.persona.language, (language) => {
    const cause = causeOf(because, language, { partly: how === 'partial' });
    const said = {
      failed: [
        say(language, 'notices.failedSubject', { subject: about }),
        say(language, 'notices.failed', { who, subject: about, cause }),
      ],
      partial: [
        say(language, 'notices.partialSubject', { subject: about }),
        say(language, 'notices.partial', { who, subject: about, cause }),
      ],
      unknown: [say(language, 'notices.unknownSubject', { subject: about }), `${who}: ${about}`],
    } as const;
    const [subject, text] = said[how];
    return {
      subject,
      text: [
        text,
        // What may have been done once is not done again at a word.
        ...(unknown.length === 0
          ? []
          : [
              say(language, 'notices.unknown', {
                tools: unknown.map((tool) => toolInWords(tool, language)).join(', '),
              }),
            ]),
      ].join('\n\n'),
    };
  });
  return notice.job({
    id: `notice:run_failed:${run.id}`,
    due_at: now,
    // Which call nobody can be sure of has to be told one by one.
    ...(unknown.length === 0
      ? { gather: gatheredAs(`run_failed:${reason}`), payload: { ...payload, again: { run: run.id } } }
      : { payload }),
  });
}

const isOfDay = ({ state: { budgetSpent } }: Pick<End, 'state'>): boolean =>
  budgetSpent === 'usd_per_day' || budgetSpent === 'runs_per_day';

/** The id is the purpose of the mail, and a purpose is mailed once: one notice a day, however many runs end so. */
function budgetNotice(end: Parameters<typeof ownerAlerts>[0]): NewJob {
  const { loaded, day, now } = end;
  if (isOfDay(end)) {
    const id = `waiting_notice:budget:${day}`;
    return waitingNotice.job({ id, due_at: now, payload: { code: 'budget', window: day } });
  }
  const [who, about] = [loaded.message.from_address ?? '?', loaded.message.subject];
  const payload = inEach(end.persona.language, (language) => {
    const cause = causeOf('budget', language, { partly: true });
    const text = say(language, 'notices.partial', { who, subject: about, cause });
    return { subject: say(language, 'notices.partialSubject', { subject: about }), text };
  });
  return notice.job({
    id: `notice:budget:${day}`,
    due_at: now,
    payload: { ...payload, again: { run: loaded.run.id } },
  });
}
