import { afterEach, describe, expect, it } from 'vitest';
import { browserAt, openMailed } from './console-rig.ts';
import { ADA, OWNER } from './governance-rig.ts';

const open: { office?: Awaited<ReturnType<typeof openMailed>> } = {};
afterEach(() => open.office?.close());

/** One of whose answers nobody would know what they answer. */
const OUTLOOK = {
  id: 'outlook',
  smtp: {
    host: 'smtp.office365.com',
    port: 587,
    tls: 'starttls',
    auth: 'password',
    secret_env: 'NONE',
    user: ADA,
  },
};
const FIELD = 'action="/session/ask"';

describe('a log-in by mail, where a server gives mails other Message-IDs', () => {
  it('is not offered over it, and doctor says why', async () => {
    const office = await openMailed({
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [OUTLOOK] },
    });
    open.office = office;
    const browser = browserAt(office.url());
    expect((await browser.get('/session')).text).not.toContain(FIELD);
    expect(await browser.ask(OWNER)).toMatchObject({ status: 404 });
    const { json } = await office.cli('doctor');
    expect(JSON.stringify(json)).toContain('console:log_in_by_mail');
  });

  it('leaves over another one, where an owner has a persona with it', async () => {
    const persona = (id: string, mailbox: string) => ({ name: id, address: `${id}@agents.localhost`, mailbox });
    const office = await openMailed(
      { 'personas/ada/persona.json': persona('ada', 'outlook'), 'personas/ben/persona.json': persona('ben', 'main') },
      {},
      [OUTLOOK],
    );
    open.office = office;
    const browser = browserAt(office.url());
    expect((await browser.get('/session')).text).toContain(FIELD);
    await browser.ask(OWNER);
    expect(await office.mailed(1)).toContain('/session/mail#');
  });
});
