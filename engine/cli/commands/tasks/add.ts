import { EngineError } from '#contract';
import { addTask } from '../../../actions/tasks.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { findTask, taskShape } from '../../../queries/tasks/listing.ts';
import { defineCommand } from '../../command/define.ts';
import { nextInWords } from './in-words.ts';

export const add = defineCommand({
  name: 'tasks add',
  summary: 'Write a task file; the prompt is read from stdin, or given with --prompt',
  examples: [
    [
      'tasks add ada/brief --schedule "0 9 * * 1-5" --prompt "What came in since yesterday?"',
      'on weekdays at nine, in the zone of the persona',
    ],
    ['tasks add ada/call --schedule "at 2026-12-01T09:00" --prompt "Remind me of the call."', 'once'],
  ],
  arguments: [['<id>', '<persona>/<task>']],
  options: {
    schedule: {
      flags: '--schedule <text>',
      about: '"0 9 * * 1", "every 30m" or "at 2026-12-01T09:00"',
      required: true,
    },
    prompt: { flags: '--prompt <text>', about: 'what is to be done' },
    name: { flags: '--name <text>', about: 'the subject of its mail (default: the id)' },
    timezone: { flags: '--timezone <zone>', about: 'default: the zone of the persona' },
    deliver: { flags: '--deliver <who>', about: 'owner, none, or addresses with commas' },
    missed: { flags: '--missed <policy>', about: 'after a stop: latest, skip or all' },
    maxAge: { flags: '--max-age <duration>', about: 'what is older is not made up for' },
    overlap: { flags: '--overlap <policy>', about: 'while it still runs: skip or queue' },
    window: { flags: '--window <hours>', about: 'only between these, such as 08:00-12:00' },
    thread: { flags: '--thread <kind>', about: 'new, or sticky: one conversation' },
    condition: { flags: '--condition <call>', about: 'one read call that has to find something first' },
    disabled: { flags: '--disabled', about: 'written, but not due until it says enabled: true' },
  },
  async run({ open, readBody }, { args: [name], options }) {
    const workspace = open();
    const [personaName = '', id = '', ...rest] = name.split('/');
    if (id === '' || rest.length > 0) throw new EngineError('usage', `${name} is no task id; take <persona>/<task>`);
    const owner = personaNamed(workspace, personaName);
    if (owner.state !== 'ready') throw new EngineError('config_invalid', `the persona ${owner.id} has problems itself`);
    const { prompt: given, disabled, maxAge, ...front } = options;
    const prompt = given ?? (await readBody('Say what is to be done; Ctrl-D on a line of its own ends it.'));
    const draft = { ...front, id, prompt, max_age: maxAge, enabled: disabled ? false : undefined };
    const { file, text } = await addTask(workspace, { persona: owner.persona, draft, by: 'cli' });
    workspace.live.lookAtPersona(owner.id);
    const now = workspace.clock.now();
    return { file, text, found: await findTask(workspace, `${owner.id}/${id}`), now };
  },
  json: ({ file, found, now }) => ({ task: taskShape(found, now), created: [file] }),
  text: ({ file, text, found, now }) =>
    [`Wrote ${file}:`, '', text, `Next: ${nextInWords(found, now)} (${systemZone()})`].join('\n'),
});
