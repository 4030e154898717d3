import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { addPlaybook } from '../../../../engine/actions/learning.ts';
import { runTaskNow } from '../../../../engine/actions/tasks.ts';
import { startWorker } from '../../../../engine/app/worker.ts';
import { processSettings } from '../../../../engine/config/environment.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { playbookIn, ratedVersions } from '../../../../engine/queries/learning.ts';
import { openWorkspace } from '../../../../engine/workspace.ts';
import type { HeardRequest, Turn } from '../../../../test/fakes/model-script.ts';
import { startFakeModel } from '../../../../test/fakes/model-server.ts';
import { makeWorkspace, STEADY } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import type { YearClock } from './clock.ts';
import { idOf, KINDS, type Kind, type Note, type Route, taskName, wordsOf } from './kinds.ts';
import { TOOLS, toolFiles } from './tools.ts';

const ADA = 'ada@agents.localhost';
export const MIA = 'mia@member.example';
const OWNER = 'owner@example.com';

const learningBy = (auto: boolean): object => ({
  learning: { enabled: true, auto_learn: auto },
  console: { enabled: false },
});

/** How a run began, and how it is counted. */
export interface WorkedRun {
  readonly id: string;
  readonly message_id: string;
  readonly kind: string;
  readonly mode: 'none' | 'assisted' | 'filter' | 'policy';
  readonly by: string;
  readonly h: number | null;
  readonly version: number | null;
  readonly outcome: string | null;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly inReplyTo?: string;
}

export type YearOffice = Awaited<ReturnType<typeof openYearOffice>>;

/**
 * The gateway inside this process, without a listener: its intake, dispatcher, harness and outbox over real databases, under
 * the year's clock, with the model behind a socket.
 */
export async function openYearOffice(clock: YearClock, script: (request: HeardRequest) => Turn) {
  const model = await startFakeModel('openai', script, { keeps: false });
  const tasks = KINDS.filter(({ intent }) => intent === null).map((kind) => [
    `personas/ada/tasks/${taskName(kind)}.md`,
    // Due by hand.
    `---\nschedule: 0 0 29 2 *\n---\n${wordsOf(kind, idOf(kind, 1))}\n`,
  ]);
  const files = makeWorkspace({
    'configs/security.json': { owners: [OWNER], loop_guard: LOOP_GUARD_OFF },
    'configs/inference.json': {
      provider: 'steady',
      model: 'm',
      stages: { frame: { model: 'm' }, refine: { model: 'm' } },
    },
    'configs/system.json': learningBy(false),
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      tools: Object.keys(TOOLS),
    },
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
    ...STEADY,
    ...toolFiles(),
    ...Object.fromEntries(tasks),
  });
  const { root } = files;
  const setWays = (ways: Readonly<Record<string, Route>>) =>
    writeFileSync(join(root, 'ways.json'), JSON.stringify(ways));
  setWays(Object.fromEntries(KINDS.map(({ desk }) => [desk, 'north' as const])));
  const opened = openWorkspace({ root, settings: processSettings({}), makeLog: () => silentLog });
  const workspace = { ...opened, clock, ids: randomIds(clock.now) };
  const worker = await startWorker(workspace);
  const persona = workspace.live.freshPersona('ada');
  if (persona?.state !== 'ready') throw new Error('the persona cannot be read');
  const notes = { taken: 0 };
  const open: { database: SQLite.Database | null } = { database: null };
  const database = (): SQLite.Database => {
    open.database ??= new SQLite(join(workspace.dataDir, 'personas/ada/persona.db'), { readonly: true });
    return open.database;
  };

  return {
    setWays,
    /** From now on playbooks are made better after runs. */
    learnByRuns(): void {
      files.write('configs/system.json', learningBy(true));
      workspace.live.sweep();
    },
    /** A mail of a member, as it comes in by submission. */
    async post({ subject, text, messageId, inReplyTo }: Letter): Promise<void> {
      const fields = [
        ...[`From: Mia <${MIA}>`, `To: ${ADA}`, `Subject: ${subject}`, `Message-ID: ${messageId}`],
        `Date: ${new Date(clock.now()).toUTCString().replace('GMT', '+0000')}`,
        ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${inReplyTo}`, `References: ${inReplyTo}`]),
      ];
      const raw = Buffer.from([...fields, '', ...text.split('\n'), ''].join('\r\n'));
      const envelope = { returnPath: MIA, recipients: [ADA] };
      const { results } = await worker.receive({ raw, arrival: { door: 'submission' }, envelope, place: null });
      const refused = results.find(({ decision }) => decision !== 'accepted');
      if (refused) throw new Error(`a mail was not accepted: ${refused.decision} ${refused.code}`);
    },
    /** The run of a due time. */
    async due(kind: Kind): Promise<string> {
      const task = workspace.live.tasksOf('ada').find(({ id }) => id === taskName(kind))?.task;
      const ports = { ...workspace, announce: worker.announce };
      const id = task ? await runTaskNow(ports, { persona: persona.persona, task, by: 'cli' }) : undefined;
      if (!id) throw new Error(`no run of ${kind.work} could be made`);
      return id;
    },
    /** Waits until nothing is due any more, lets `ms` pass, and waits again: what follows from runs is due a moment later. */
    async settle(ms: number): Promise<void> {
      await worker.dispatcher.idle();
      for (const pass of [2000, ms]) {
        clock.jump(pass);
        worker.dispatcher.wake('ada');
        await worker.dispatcher.idle();
      }
    },
    /** What `learn add` does. */
    async add(kind: Kind, playbook: object): Promise<void> {
      const read = await playbookIn(workspace, 'ada', kind.work, JSON.stringify(playbook));
      const rated = await workspace.stores.use('ada', (store) => ratedVersions(store, kind.work, clock.now()));
      const added = await addPlaybook(workspace, { personaId: 'ada', kind: kind.work, read, rated, most: 20 });
      if ('ok' in added) throw new Error(`the playbook of ${kind.work} was not taken: ${JSON.stringify(added)}`);
    },
    /** Notes that were taken since the last look. */
    takeNotes(): readonly Note[] {
      const path = join(root, 'notes.jsonl');
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
      const fresh = lines.slice(notes.taken);
      notes.taken = lines.length;
      return fresh.map((line) => JSON.parse(line));
    },
    /** Runs that were counted since a time, oldest first. */
    runsSince: (at: number): readonly WorkedRun[] =>
      database()
        .prepare<[number], WorkedRun>(
          `select r.id, r.message_id, o.kind, o.mode, r.outcome, json_extract(e.payload_json, '$.by') as by,
             json_extract(e.payload_json, '$.h') as h, json_extract(e.payload_json, '$.version') as version
           from runs r join playbook_outcomes o on o.run_id = r.id
           join run_events e on e.run_id = r.id and e.type = 'playbook_selected'
           where r.created_at >= ? order by r.seq`,
        )
        .all(at),
    count: (sql: string): number => database().prepare<[], number>(sql).pluck().get() ?? 0,
    async close(): Promise<void> {
      open.database?.close();
      await worker.stop(2000);
      await opened.close();
      await model.stop();
      files.remove();
    },
  };
}
