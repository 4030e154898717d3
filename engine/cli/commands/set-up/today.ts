import { instantOf, localTime, systemZone } from '../../../lib/schedule/zone.ts';
import { onlyPersona, personaNamed } from '../../../queries/find-across.ts';
import { type Day, dayOf } from '../../../queries/runs/day.ts';
import { defineCommand } from '../../command/define.ts';
import { inOneLine } from '../../text/indented.ts';
import { shortId } from '../../text/listed.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';

export const today = defineCommand({
  name: 'persona today',
  summary: 'What a persona did since midnight: mail, answers, open questions, effects, cost',
  arguments: [['[id]', 'default: the only persona']],
  examples: [['persona today ada', 'what did Ada do today?']],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const all = [...workspace.live.personas().all()].map(({ id }) => id);
    const { id } = personaNamed(workspace, name ?? onlyPersona(all, 'say which persona: persona today ID'));
    const [now, zone] = [workspace.clock.now(), systemZone()];
    const from = instantOf(zone, Date.parse(`${localTime(zone, now).slice(0, 10)}T00:00:00Z`));
    return { today: await dayOf(workspace, id, { from, to: now + 1 }) };
  },
  text: ({ today: day }) => inWords(day),
});

const hour = (at: string): string => atHere(at).slice(11);
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const named = (subject: string | null): string => inOneLine(subject ?? '') || '(no subject)';

function inWords({ persona, from, mails, runs, effects, open_questions: open, cost_usd: cost }: Day): string {
  const answered = runs.filter(({ reply_message_id: reply }) => reply !== null);
  const section = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `${head}:`, ...lines.map((line) => `  ${line}`)];
  return [
    `${persona} on ${atHere(from).slice(0, 10)}: ${counted(mails.length, 'mail', 'mails')}, ${counted(answered.length, 'answer', 'answers')}, ${counted(open.length, 'open question', 'open questions')}, ${cost.toFixed(4)} USD`,
    ...section(
      'Mail',
      mails.map(
        ({ received_at: at, from: who, subject, decision }) =>
          `${hour(at)}  ${who ?? 'nobody'}  ${named(subject)}  ${decision}`,
      ),
    ),
    ...section(
      'Answers',
      answered.map(
        ({ ended_at: at, subject, outcome }) => `${at === null ? '' : hour(at)}  ${named(subject)}  ${outcome ?? ''}`,
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
