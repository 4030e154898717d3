import { afterEach, expect, it } from 'vitest';
import type { Log } from '#contract';
import { createNoticeWriter } from '../../../engine/delivery/notices/notices.ts';
import { writeOwnerMail } from '../../../engine/delivery/notices/owner-mail.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { notice } from '../../../engine/record/jobs/notice-job.ts';
import { doJob } from '../../fakes/do-job.ts';
import { call, makeApprovalRig, once, toCarl } from '../harness/approvals-rig.ts';

type Made = Awaited<ReturnType<typeof makeApprovalRig>>;
const open: { made?: Made } = {};
afterEach(() => open.made?.rig.close());

const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const TURNED = 'pay \u202etxt.exe\u202c \u2067now\u2069\u061c\u200e\u200f';

/** What stands in a mail once its encodings are undone, before the reader takes anything out of it. */
const written = (raw: Uint8Array): string =>
  Buffer.from(raw)
    .toString('latin1')
    .replace(/=\r?\n/g, '')
    .replace(/=\?utf-8\?q\?([^?]*)\?=/gi, '$1')
    .replace(/=([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

it('L7: a notice and a mail to owners quote subjects of others without the marks that turn text round', async () => {
  const made = await makeApprovalRig(once((n) => [call('m1', 'send_email', toCarl(n, {}))]));
  open.made = made;
  const { rig } = made;
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const deps = { clock: rig.clock, ids: rig.harness.ids, log, configs: () => rig.configs };
  const writeNotice = createNoticeWriter({ ...deps, hint: (text: string) => text });
  const raws = await rig.withStore(async (store) => {
    await store.addJobs([notice.job({ id: 'n', due_at: 0, payload: { subject: TURNED, text: `Subject: ${TURNED}` } })]);
    for (const job of await store.dueJobs(rig.clock.now(), 20))
      if (job.id === 'n') await doJob(writeNotice, job, { persona: rig.persona, store });
    const rows = (await store.listOutbox({ limit: 10 })).filter(({ kind }) => kind === 'notice');
    return Promise.all(rows.map(async ({ id }) => (await store.outboxRaw(id))?.raw ?? new Uint8Array()));
  });
  const own = await writeOwnerMail(deps, rig.persona, {
    kind: 'notice',
    purpose: 'p',
    subject: TURNED,
    text: TURNED,
    replyTo: null,
    headers: {},
  });
  const all = [...raws, own.row.raw];
  expect(all).toHaveLength(2);
  for (const raw of all) {
    const bytes = Buffer.from(written(raw), 'latin1').toString('utf8');
    expect(bytes).toContain('txt.exe');
    expect(bytes).not.toMatch(MARKS);
    const read = await readMail(Buffer.from(raw), rig.configs.gateway.limits);
    expect(read.ok && read.mail.subject).toContain('pay txt.exe now');
  }
});
