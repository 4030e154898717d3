import type { Extensions } from '../../extensions/types.ts';
import { iso } from '../../lib/clock.ts';
import { decodeEvent } from '../../record/codec/run-events.ts';
import type { RunEvent } from '../../record/events.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { StoredEvent } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import { type Check, fine, WARNING } from './check.ts';
import { switchChecks } from './switched.ts';

const A_CALL = 'ask for something that a tool does';
const A_LONG_RESULT = 'have a long file or page read';

/** Runs of the newest mail that are looked at: enough to say what works, and never all there are. */
const MOST_MAILS = 2000;
const MOST_PERSONAS = 50;

interface Primitive {
  readonly name: string;
  /** Told by one event of a run. */
  is(event: RunEvent): boolean;
  /** What would exercise it. */
  readonly cure: string;
  /** Only where this tool is installed. */
  readonly tool?: string;
}

const ofType = (type: RunEvent['type']) => (event: RunEvent) => event.type === type;
const failedInto = (next: string) => (event: RunEvent) => event.type === 'model_call_ended' && event.data.next === next;
const decidedFor = (reason: string) => (event: RunEvent) => event.type === 'decision' && event.data.reason === reason;
const asked = (event: RunEvent) => (event.type === 'permission' ? event.data.asked : undefined);
const usesTool = (tool: string) => (event: RunEvent) => event.type === 'tool_call_ended' && event.data.tool === tool;

/** Each part by which code governs a run, and the record that only its working leaves behind. */
const PRIMITIVES: readonly Primitive[] = [
  {
    name: 'surface',
    is: (event) => event.type === 'model_call_started' && event.data.surface !== undefined,
    cure: 'send any mail',
  },
  {
    name: 'frame',
    is: (event) => event.type === 'context_built' && event.data.frame !== undefined,
    cure: 'send any mail',
  },
  { name: 'decision', is: ofType('decision'), cure: 'send any mail' },
  {
    name: 'evidence_gate',
    is: (event) => event.type === 'decision' && event.data.contract !== undefined,
    cure: 'send any mail',
  },
  { name: 'governor', is: ofType('permission'), cure: A_CALL },
  {
    name: 'refusal',
    is: (event) => event.type === 'permission' && event.data.verdict === 'deny',
    cure: 'ask for a tool that the persona is denied',
  },
  {
    name: 'taint',
    is: (event) => asked(event)?.tainted === true,
    cure: 'have a page or a mail read before another call',
  },
  {
    name: 'provenance',
    is: (event) => asked(event)?.values !== undefined,
    cure: 'comes of a call that leads outside by what only a page or a mail has named',
  },
  {
    name: 'sensor',
    is: (event) => event.type === 'tool_call_ended' && event.data.sensed !== undefined,
    cure: A_CALL,
  },
  { name: 'observation', is: ofType('observation'), cure: A_CALL },
  {
    name: 'observation_limit',
    is: (event) => event.type === 'observation' && event.data.content.includes('"truncated":true'),
    cure: A_LONG_RESULT,
  },
  {
    name: 'artifact',
    is: (event) => event.type === 'observation' && typeof event.data.artifact === 'string',
    cure: A_LONG_RESULT,
  },
  {
    name: 'resolve_ref',
    tool: 'resolve_ref',
    is: usesTool('resolve_ref'),
    cure: 'have a long file or page read to its end',
  },
  {
    name: 'same_calls',
    is: (event) => event.type === 'observation' && event.data.same_as !== undefined,
    cure: 'comes of a model that makes one call twice in a turn',
  },
  {
    name: 'compaction',
    is: (event) => event.type === 'model_call_started' && (event.data.fitted ?? 0) > 0,
    cure: 'comes of results that are too long for their model',
  },
  {
    name: 'quota',
    is: (event) => asked(event)?.quota !== undefined,
    cure: 'comes of tool_policy.quotas or calls_per_sender_per_hour in security.json',
  },
  {
    name: 'near_limit',
    is: (event) => event.type === 'observation' && /,"limit":"[^"]+"\}$/.test(event.data.content),
    cure: 'comes of a run that uses most of its turns or calls',
  },
  { name: 'approval', is: ofType('approval_requested'), cure: 'ask for a mail to somebody new' },
  { name: 'approval_decided', is: ofType('approval_decided'), cure: 'answer an approval notice' },
  {
    name: 'ask_owner',
    tool: 'ask_owner',
    is: usesTool('ask_owner'),
    cure: 'ask for something that only an owner knows',
  },
  {
    name: 'plan',
    is: (event) =>
      event.type === 'approval_requested' &&
      event.data.items.some(({ calls, tool }) => calls || tool === 'propose_plan'),
    cure: 'ask for two files to be deleted',
  },
  { name: 'delete_file', tool: 'delete_file', is: usesTool('delete_file'), cure: 'ask for a file to be deleted' },
  {
    name: 'budget_reserve',
    is: (event) => event.type === 'model_call_started' && event.data.reserved_usd !== undefined,
    cure: 'set a budget in persona.json',
  },
  { name: 'budget_stop', is: decidedFor('budget'), cure: 'comes of a budget that is spent' },
  { name: 'retry', is: failedInto('retry'), cure: 'comes of a model service that fails for a moment' },
  {
    name: 'fallback',
    is: failedInto('next_target'),
    cure: 'name a fallback in inference.json; comes of a model service that fails',
  },
  {
    name: 'cooldown',
    is: (event) => event.type === 'model_call_ended' && event.data.rested === true,
    cure: 'comes of a model service that is overloaded or limits its use',
  },
  { name: 'cancel', is: decidedFor('cancelled'), cure: 'comes of `epistle runs cancel`' },
];

interface Last {
  readonly persona: string;
  readonly runId: string;
  readonly at: number;
}

/** One line for each primitive with the last run that exercised it; where none did that is a warning, no failure. Then what is switched on. */
export async function harnessChecks(ports: QueryPorts): Promise<Check[]> {
  const { last, looked } = await lastRuns(ports);
  const extensions = await ports.extensions();
  return [
    ...PRIMITIVES.filter(({ tool }) => tool === undefined || extensions.tools.get(tool)).map(({ name, cure }) =>
      checkOf(name, last.get(name), cure, looked),
    ),
    hooksCheck(extensions, last.get('hooks'), looked),
    ...switchChecks(ports),
  ];
}

/** Written when a hook has done its work, and not when it was asked to. */
const HOOKS: Primitive = { name: 'hooks', is: ofType('hook_ended'), cure: 'send any mail' };

async function lastRuns({
  gateway,
  stores,
  dataDir,
}: QueryPorts): Promise<{ last: Map<string, Last>; looked: number }> {
  const recent = await gateway.recentRuns(MOST_MAILS);
  const byPersona = Map.groupBy(recent, ({ persona }) => persona);
  const last = new Map<string, Last>();
  let looked = 0;
  for (const [persona, runs] of [...byPersona].slice(0, MOST_PERSONAS)) {
    if (!stores.exists(persona)) continue;
    looked += runs.length;
    for (let from = 0; from < runs.length; from += 100) {
      const ids = runs.slice(from, from + 100).map(({ runId }) => runId);
      const rows = await stores.use(persona, (store) => store.eventsOfRuns(ids));
      const { artifacts } = personaFiles(dataDir, persona);
      for (const row of rows) note(last, persona, row, artifacts);
    }
  }
  return { last, looked };
}

/** An event that cannot be read exercised nothing that is known. */
function read(row: StoredEvent, artifacts: Blobs): RunEvent | null {
  try {
    return decodeEvent(row, artifacts);
  } catch {
    return null;
  }
}

function note(last: Map<string, Last>, persona: string, row: StoredEvent, artifacts: Blobs): void {
  const { run_id: runId, at } = row;
  const event = read(row, artifacts);
  if (event === null) return;
  for (const { name, is } of [...PRIMITIVES, HOOKS]) {
    if ((last.get(name)?.at ?? -1) < at && is(event)) last.set(name, { persona, runId, at });
  }
}

function checkOf(name: string, found: Last | undefined, cure: string, looked: number): Check {
  const check = `harness:${name}`;
  if (found) return fine(check, `last by run ${found.runId} of ${found.persona}, ${iso(found.at)}`);
  const message = `${WARNING}exercised by none of the ${looked} newest runs`;
  return { name: check, ok: true, message, cure, problem: null };
}

function hooksCheck({ hooks }: Extensions, ended: Last | undefined, looked: number): Check {
  if (hooks.size === 0) return fine('harness:hooks', 'no hook is installed');
  return checkOf(HOOKS.name, ended, HOOKS.cure, looked);
}
