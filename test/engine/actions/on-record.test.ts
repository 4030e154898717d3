import { afterEach, expect, it } from 'vitest';
import { putOnRecord } from '../../../engine/actions/on-record.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { listAudit } from '../../../engine/queries/audit.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { makeWorkspace } from '../../flow/workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('an act stands in the record of the gateway itself where no persona works', async () => {
  const folder = makeWorkspace({ 'personas/ada/persona.json': '{', 'personas/ben/persona.json': '{' });
  const workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(folder.remove, workspace.close);
  const done = { actor: 'olga@example.com', event: 'letter_requeued', detail: { message_id: '<m@x>', is_done: true } };
  await putOnRecord(workspace, { persona: 'ada', ...done });
  const { audit } = await listAudit(workspace, { limit: 10, after: undefined, persona: undefined });
  expect(audit).toMatchObject([{ persona: null, ...done }]);
});
