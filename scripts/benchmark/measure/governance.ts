import { join } from 'node:path';
import type { ToolCall } from '#contract';
import { createTaskDesk } from '../../../engine/config/tasks/task-desk.ts';
import { workspaceFiles } from '../../../engine/config/workspace-files.ts';
import { CAPABILITIES } from '../../../engine/features/capabilities.ts';
import { isExecutable } from '../../../engine/policy/call.ts';
import { createBatchedFsync } from '../../../engine/storage/batched-fsync.ts';
import { personaFiles } from '../../../engine/storage/persona-files.ts';
import { executeCall } from '../../../engine/tools/execute.ts';
import { toolsForRun } from '../../../engine/tools/for-run.ts';
import { observe } from '../../../engine/tools/observe/observe.ts';
import { prepareCall } from '../../../engine/tools/prepare.ts';
import { surfaceFor } from '../../../engine/tools/run-surface.ts';
import type { Workspace } from '../../../engine/workspace.ts';
import { makeBenchWorkspace, personaId } from '../bench-workspace.ts';
import { commitsIn } from '../commits.ts';
import { cpuMicroseconds, median, repeat, rounded } from '../figures.ts';
import { openWorker } from '../open-worker.ts';
import { halvesOf, newestRun, openFloorDatabase, openStepFloor, type StepRows, writerOf } from '../step-floor.ts';
import { bodiesOf, deliveryTo, type ModelServer, STEPS } from './step.ts';

export interface Governance {
  readonly cpu_us_per_step: number;
  readonly extra_rows_per_step: number;
  readonly transactions_per_step: number;
  /** Of the least that a durable step can cost, measured beside it. */
  readonly share_of_floor: number;
}

/** Events that stand there because calls are governed and observed; the others tell what was done. */
const OF_GOVERNANCE = new Set(['permission', 'observation']);

/**
 * What governor, sensor, observation and audit add to a tool step: the step's tool, deadline, check and its two
 * transactions with them and their rows, less the same without, in turns. Rows and transactions are those of a run
 * that a mail has started.
 */
export async function measureGovernance(
  model: ModelServer,
  size: { rounds: number; steps: number },
): Promise<Governance> {
  const workspace = makeBenchWorkspace({ personas: 1, modelUrl: model.hello.url, maxToolTurns: STEPS + 1 });
  const { workspace: opened, worker } = await openWorker(workspace.root, true);
  try {
    const deliver = deliveryTo(worker);
    const wal = join(opened.dataDir, 'personas', personaId(0), 'persona.db-wal');
    await deliver(STEPS);
    const counted: number[] = [];
    for (let pair = 0; pair < 3; pair += 1) {
      const without = await commitsIn(wal, () => deliver(0));
      counted.push(((await commitsIn(wal, () => deliver(STEPS))) - without) / STEPS);
    }
    const floor = await openStepFloor({
      folder: workspace.root,
      bodies: await bodiesOf(model, () => deliver(STEPS)),
      modelUrl: model.hello.url,
      store: opened.stores,
      personaId: personaId(0),
    });
    const rows = await newestRun(opened.stores, personaId(0));
    const steps = await stepsOf(opened, rows, join(workspace.root, 'governance.db'));
    const perStep = async (work: () => Promise<void>) =>
      (await cpuMicroseconds(() => repeat(size.steps, work))) / size.steps;
    const floorPerStep = async () => (await cpuMicroseconds(floor.run)) / STEPS;
    const added: number[] = [];
    const shares: number[] = [];
    for (let round = -3; round < size.rounds; round += 1) {
      const bare = await perStep(steps.bare);
      const governed = await perStep(steps.governed);
      const least = median([await floorPerStep(), await floorPerStep(), await floorPerStep()]);
      // The first rounds compile.
      if (round < 0) continue;
      added.push(governed - bare);
      shares.push((governed - bare) / least);
    }
    steps.close();
    floor.close();
    const governing = rows.events.filter(({ type }) => OF_GOVERNANCE.has(type)).length;
    return {
      cpu_us_per_step: rounded(median(added), 0),
      extra_rows_per_step: rounded((governing + (await steps.auditRows())) / STEPS),
      transactions_per_step: rounded(median(counted)),
      share_of_floor: rounded(median(shares)),
    };
  } finally {
    await worker.stop(2000);
    await opened.close();
    workspace.remove();
  }
}

/** The same step twice: through everything that governs a call, and with nothing between the model and the tool. */
async function stepsOf(opened: Workspace, rows: StepRows, file: string) {
  const entry = await opened.live.freshPersona(personaId(0));
  if (entry?.state !== 'ready') throw new Error('the persona is not ready');
  const { persona } = entry;
  const { tools, hooks } = opened.currentExtensions();
  const { clock, ids, log, stores } = opened;
  const [run] = await stores.use(persona.id, (store) => store.listRuns({ limit: 1 }));
  const tool = tools.get('note');
  if (!run || !tool) throw new Error('no run, or no tool');
  const filesOf = (id: string) => personaFiles(opened.dataDir, id, createBatchedFsync());
  const { signal } = new AbortController();
  const user = {
    persona,
    configs: opened.live.current(),
    run,
    signal,
    isTainted: () => false,
    reading: null,
    toldBack: null,
    stage: () => {},
    stageFact: () => {},
    stageJob: () => {},
    stageChild: () => {},
    request: '',
  };
  const { prepare, sensor, contextFor } = await stores.use(persona.id, async (store) => {
    const surface = surfaceFor({ tools, hooks }, user);
    const taskDesk = createTaskDesk(opened.root, opened.live.tasksOf);
    const priceFor = () => ({ target: { provider: 'offline', model: 'default' }, price: null });
    const { filesDesk, documents } = opened;
    const deps = {
      capabilities: async () => CAPABILITIES,
      tools: () => tools,
      hooks: () => hooks,
      filesOf,
      calendarsOf: (id: string) => join(filesOf(id).temporary, 'calendars'),
      filesDesk,
      documents,
      workspace: workspaceFiles(opened.root),
      taskDesk,
      refusals: opened.gateway,
      waitingDesk: () => Promise.reject(new Error('nothing waits here')),
      priceFor,
      recursionSecret: '',
      clock,
      ids,
      log,
    };
    return toolsForRun(deps, { ...user, store }, surface.refusal);
  });
  const execution = { contextFor, defaultTimeoutMs: 60_000, signal, now: clock.now };
  const { artifacts } = filesOf(persona.id);

  const database = openFloorDatabase(file);
  const write = writerOf(database);
  const insertRun = database.prepare('insert into floor_runs (id) values (?)');
  const all = halvesOf(rows, STEPS);
  const bareHalves = halvesOf({ ...rows, events: rows.events.filter(({ type }) => !OF_GOVERNANCE.has(type)) }, STEPS);
  let number = 0;
  const callOf = (): ToolCall => {
    number += 1;
    return { id: `call_${number}`, name: 'note', arguments: { number } };
  };
  /** Where the rows of a step go: as before the tool and after it, each in one transaction. */
  const step = (halves: readonly StepRows[], work: (call: ToolCall) => Promise<void>) => async () => {
    const call = callOf();
    const at = (number % STEPS) * 2;
    insertRun.run(call.id);
    write(call.id, halves[at]);
    await work(call);
    write(call.id, halves[at + 1]);
  };

  return {
    governed: step(all, async (call) => {
      const prepared = await prepareCall(call, prepare);
      if (!isExecutable(prepared) || prepared.verdict !== 'run') throw new Error(`the call was ${prepared.verdict}`);
      const { result: outcome } = await sensor.sense(() => executeCall(prepared, execution));
      observe(call, outcome, artifacts, clock.now());
    }),
    bare: step(bareHalves, async (call) => {
      const checked = tool.validate(call.arguments);
      if (!checked.ok) throw new Error(checked.message);
      JSON.stringify(await executeCall({ tool, args: checked.value }, execution));
    }),
    auditRows: async () => {
      const audit = await stores.use(persona.id, (store) => store.listAudit({ limit: 1000 }));
      return audit.filter(({ run_id }) => run_id === run.id).length;
    },
    close: () => database.close(),
  };
}
