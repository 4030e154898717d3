import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createToolsQuestionWriter } from '../../../engine/app/pins/question-mail.ts';
import { createRefusedDigestWriter } from '../../../engine/app/refused/digest-mail.ts';
import { createWeeklyWriter } from '../../../engine/app/telling/weekly.ts';
import { createNoticeWriter } from '../../../engine/delivery/notices/notices.ts';
import { createOutageOverWriter } from '../../../engine/delivery/notices/outage-over.ts';
import { createRelayWriter } from '../../../engine/delivery/notices/relay.ts';
import { createSlowedDownWriter } from '../../../engine/delivery/notices/slowed-down.ts';
import { createLearnedDigestWriter, createUndoNoticeWriter } from '../../../engine/delivery/notices/undo-mail.ts';
import { createWaitNoticeWriter } from '../../../engine/delivery/notices/wait-notice.ts';
import { createWaitingNoteWriter } from '../../../engine/delivery/notices/waiting-note.ts';
import { createWaitingNoticeWriter } from '../../../engine/delivery/notices/waiting-notice.ts';
import {
  createApprovalNoticeWriter,
  createApprovalReminder,
} from '../../../engine/delivery/questions/approval-mail.ts';
import { createClarifier } from '../../../engine/delivery/questions/clarify-mail.ts';
import { createQuestionWriter } from '../../../engine/delivery/questions/question-mail.ts';
import { createToolPins } from '../../../engine/extensions/pins/tool-pins.ts';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import { takeIn } from '../../../engine/intake/intake.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { readOwnerCommand } from '../../../engine/mail/approval/owner-command.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import type { MailKind } from '../../../engine/storage/types/outbox.ts';

import askOwner from '../../../extensions/tools/ask_owner/index.ts';
import deleteFile from '../../../extensions/tools/delete_file/index.ts';
import editFile from '../../../extensions/tools/edit_file/index.ts';
import invite from '../../../extensions/tools/invite/index.ts';
import proposePlan from '../../../extensions/tools/propose_plan/index.ts';
import readFile from '../../../extensions/tools/read_file/index.ts';
import scheduleTask from '../../../extensions/tools/schedule_task/index.ts';
import sendEmail from '../../../extensions/tools/send_email/index.ts';
import shell from '../../../extensions/tools/shell/index.ts';
import writeFile from '../../../extensions/tools/write_file/index.ts';
import { doJob } from '../../fakes/do-job.ts';
import { type Model, makeRig, type RigOptions } from '../harness/rig.ts';
import { asTier, mailFacts, provenAs } from '../intake/facts.ts';

const CAPABILITIES = ['outgoing', 'files', 'schedule', 'calendar'] as const;
const LOOP_GUARD = {
  max_replies_per_thread_per_hour: 0,
  max_replies_per_sender_per_hour: 0,
  fast_reply_s: 0,
  max_fast_replies: 0,
};

/** Of no server an owner has allowed anything yet. */
const NOTHING_PINNED = createToolPins({
  root: '/nowhere',
  lock: () => null,
  clock: { now: () => 0, sleep: async () => {} },
});

export type MailOffice = Awaited<ReturnType<typeof openMailOffice>>;

/** The harness with the bundled tools and everything that writes mails to people, over real rows. */
export async function openMailOffice(model: Model, options: Partial<RigOptions> = {}) {
  const rig = await makeRig({
    models: model,
    tools: {
      ask_owner: askOwner,
      delete_file: deleteFile,
      edit_file: editFile,
      invite,
      propose_plan: proposePlan,
      read_file: readFile,
      schedule_task: scheduleTask,
      send_email: sendEmail,
      shell: { ...shell, ready: () => null },
      write_file: writeFile,
    },
    ...options,
    persona: { timezone: 'Europe/Berlin', ...options.persona },
    security: { loop_guard: LOOP_GUARD, ...options.security },
  });
  rig.registry.tools = createRegistry(
    rig.registry.tools
      .all()
      .map((tool) => ({ ...tool, manifest: { ...tool.manifest, capabilities: [...CAPABILITIES] } })),
  );
  const { clock, harness, configs } = rig;
  const deps = { configs: () => configs, clock, ids: harness.ids, filesOf: harness.filesOf };
  const outage = { isPaused: async () => false, isDead: () => true };
  const writers = [
    createApprovalNoticeWriter(deps),
    createApprovalReminder(deps),
    createClarifier(deps),
    createQuestionWriter(deps),
    createUndoNoticeWriter(deps),
    createLearnedDigestWriter(deps),
    createWaitNoticeWriter(deps),
    createWaitingNoteWriter({ ...deps, ...outage, pass: passThrough }),
    createWaitingNoticeWriter({
      ...deps,
      ...outage,
      envFile: '~/epistle/.env',
      keysOf: () => ({ host: null, wanted: ['ANTHROPIC_API_KEY'], missing: [] }),
    }),
    createRelayWriter({ ...deps, pass: passThrough }),
    createSlowedDownWriter(deps),
    createOutageOverWriter({ ...deps, works: () => true }),
    createRefusedDigestWriter({ ...deps, gateway: rig.gateway, nameOf: () => 'Ada' }),
    createWeeklyWriter({ ...deps, gateway: rig.gateway, pass: passThrough, nameOf: () => 'Ada' }),
    createToolsQuestionWriter({ ...deps, gateway: rig.gateway, toolPins: NOTHING_PINNED }),
    createNoticeWriter({
      hint: (text: string) => text,
      configs: () => configs,
      clock,
      ids: harness.ids,
      log: silentLog,
    }),
  ];
  /** Does what is due, as the dispatcher would. */
  const work = () =>
    rig.withStore(async (store) => {
      for (const job of await store.dueJobs(clock.now(), 50)) {
        const handler = writers.find(({ kind }) => kind === job.kind);
        if (handler) await doJob(handler, job, { persona: rig.persona, store });
      }
    });
  return {
    rig,
    work,
    /** The owner decides all that waits, and the runs go on to their ends. */
    async decide(state: 'approved' | 'rejected', reason: string | null = null) {
      await rig.withStore(async (store) => {
        const waiting = await store.listApprovals({ limit: 100, status: 'pending' });
        const verdicts = waiting.map(({ id }) => ({ id, state, by: 'owner@example.com', reason }));
        await store.decideApprovals(verdicts, [], clock.now());
      });
      await rig.drain();
      await work();
    },
    /** A mail of the owner that is one word. */
    async command(word: string) {
      const lines = ['From: owner@example.com', 'To: ada@agents.localhost', `Subject: ${word}`];
      const raw = Buffer.from([...lines, `Message-ID: <${harness.ids.next()}@x>`, '', word, ''].join('\r\n'));
      const read = await readMail(raw, configs.gateway.limits);
      if (!read.ok) throw new Error(read.message);
      const identity = provenAs('owner@example.com');
      await takeIn(
        rig.intake,
        mailFacts({
          persona: rig.persona,
          raw,
          mail: read.mail,
          identity,
          admission: asTier('owner'),
          now: clock.now(),
          command: readOwnerCommand(read.mail),
        }),
      );
      await work();
    },
    put(path: string, text: string) {
      const file = join(harness.filesOf('ada').filesRoot, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    /** The bytes of the mails of a kind that were written, the oldest first. */
    written: (kind: MailKind, to?: string) =>
      rig.withStore(async (store) => {
        const rows = (await store.listOutbox({ limit: 100 })).filter((row) => row.kind === kind).toReversed();
        const all = await store.outboxRecipients(rows.map(({ id }) => id));
        const wanted = rows.filter(({ id }) =>
          all.some((one) => one.outbox_id === id && (to === undefined || one.address === to)),
        );
        return Promise.all(wanted.map(async ({ id }) => Buffer.from((await store.outboxRaw(id))?.raw ?? [])));
      }),
    close: () => rig.close(),
  };
}
