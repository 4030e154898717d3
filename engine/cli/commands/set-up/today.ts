import { instantOf, localTime, systemZone } from '../../../lib/schedule/zone.ts';
import { onlyPersona, personaNamed } from '../../../queries/find-across.ts';
import { type Day, dayOf } from '../../../queries/runs/day.ts';
import { cameInWords, outcomeInWords } from '../../../queries/state-words.ts';
import { defineCommand } from '../../command/define.ts';
import { sinceOf } from '../../command/time-option.ts';
import { inOneLine } from '../../text/indented.ts';
import { shortId } from '../../text/listed.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';

export const today = defineCommand({
  name: 'persona today',
  summary: 'What a persona did since midnight, or since a day: mail, answers, open questions, effects, cost',
  arguments: [['[id]', 'default: the only persona']],
  examples: [
    ['persona today ada', 'what did Ada do today?'],
    ['persona today ada --since 7d', 'and in the last seven days?'],
  ],
  options: { since: { flags: '--since <time>', about: 'a span such as 7d, a day such as 2026-11-21, or a time' } },
  async run({ open }, { args: [name], options: { since } }) {
    const workspace = open({ tolerant: true });
    const all = [...workspace.live.personas().all()].map(({ id }) => id);
    const { id } = personaNamed(workspace, name ?? onlyPersona(all, 'say which persona: persona today ID'));
    const [now, zone] = [workspace.clock.now(), systemZone()];
    const midnight = instantOf(zone, Date.parse(`${localTime(zone, now).slice(0, 10)}T00:00:00Z`));
    const from = sinceOf('--since', since, now) ?? midnight;
    return { today: await dayOf(workspace, id, { from, to: now + 1 }), isOneDay: from >= midnight };
  },
  json: ({ today: day }) => ({ today: day }),
  text: ({ today: day, isOneDay }) => inWords(day, isOneDay),
});

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const named = (subject: string | null): string => inOneLine(subject ?? '') || '(no subject)';

/** Of one day the hour is enough. */
function inWords(
  { persona, from, to, mails, runs, effects, open_questions: open, cost_usd: cost }: Day,
  isOneDay: boolean,
): string {
  const hour = (at: string): string => (isOneDay ? atHere(at).slice(11) : atHere(at));
  const span = isOneDay ? `on ${atHere(from).slice(0, 10)}` : `from ${atHere(from)} to ${atHere(to)}`;
  const answered = runs.filter(({ reply_message_id: reply }) => reply !== null);
  const section = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `${head}:`, ...lines.map((line) => `  ${line}`)];
  return [
    `${persona} ${span}: ${counted(mails.length, 'mail', 'mails')}, ${counted(answered.length, 'answer', 'answers')}, ${counted(open.length, 'open question', 'open questions')}, ${cost.toFixed(4)} USD`,
    ...section(
      'Mail',
      mails.map(
        ({ received_at: at, from: who, subject, decision, code }) =>
          `${hour(at)}  ${who ?? 'nobody'}  ${named(subject)}  ${cameInWords(decision, code)}`,
      ),
    ),
    ...section(
      'Answers',
      answered.map(
        ({ ended_at: at, subject, outcome }) =>
          `${at === null ? '' : hour(at)}  ${named(subject)}  ${outcome === null ? '' : outcomeInWords(outcome)}`,
      ),
    ),
    ...section(
      'Done',
      effects.map(({ act, targets }) => `${act}  ${inOneLine(targets.join(', '))}`),
    ),
    ...section(
      'Waits for an owner',
      open.map(({ id, tool, expires_at: until }) => `${shortId(id)}  ${tool}  until ${atHere(until)}`),
    ),
    '',
    zoneLine(),
  ].join('\n');
}
