import { afterEach, expect, it } from 'vitest';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

const open: Office[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((office) => office.close()));
});

it('a persona whose mailbox only receives says that it cannot send, and sends nothing', async () => {
  const office = await openOffice(
    {
      'configs/security.json': { owners: [OWNER, 'boss@example.com'], approvals: { batch_window_s: 0 } },
      'configs/gateway.json': {
        smtp_listener: { port: 0 },
        mailboxes: [
          { id: 'in', imap: { host: '127.0.0.1', port: 9, tls: 'none', user: 'u', secret_env: 'IN_SECRET' } },
        ],
      },
      'personas/ada/persona.json': { name: 'Ada', address: 'ada@agents.localhost', mailbox: 'in' },
    },
    { IN_SECRET: 'x' },
  );
  open.push(office);
  const { json } = await office.ask(
    `/send_email ${JSON.stringify({ to: ['boss@example.com'], subject: 'Hi', body: 'Hello' })}`,
    OWNER,
  );
  const [{ run_id, outcome }] = json.results;
  expect(outcome).toBe('failed');
  const { run } = (await office.cli('runs', 'show', run_id)).json;
  expect(run.code).toBe('outbound_transport_not_configured');
  expect(run.events.find(({ type }: { type: string }) => type === 'observation').data).toMatchObject({
    tool: 'send_email',
    ok: false,
    code: 'outbound_transport_not_configured',
  });
  expect((await office.left('reply')).filter(({ mail }) => mail.subject === 'Hi')).toEqual([]);
});
