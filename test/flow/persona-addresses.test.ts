import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type MailboxHouse, startMailboxHouse } from '../fakes/mailbox-house.ts';
import type { Script } from '../fakes/smtp-peer.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const AGENT = 'agent@lab.test';
const NO_SUCH = '550 5.1.1 no such user here';

let house: MailboxHouse;
let workspace: TestWorkspace;
afterEach(async () => {
  await house.stop();
  workspace.remove();
});

/** Ada has the mailbox, at a server that takes these recipients and no others. */
async function open(rcpt: Script['rcpt'] = {}, more: readonly object[] = []): Promise<void> {
  house = await startMailboxHouse(() => '', { rcpt });
  const side = { host: '127.0.0.1', tls: 'none', user: AGENT, secret_env: 'BOX_PASSWORD' };
  const { imap, smtp } = house.ports;
  const main = { id: 'main', imap: { ...side, port: imap }, smtp: { ...side, port: smtp } };
  workspace = makeWorkspace({
    'configs/gateway.json': { domain: 'lab.test', smtp_listener: { port: 0 }, mailboxes: [main, ...more] },
    'personas/ada/persona.json': { name: 'Ada', address: AGENT },
    '.env': 'BOX_PASSWORD=secret\n',
  });
}
const persona = (...args: string[]) => epistle(workspace.root, ['persona', ...args]);
const file = (id: string) => join(workspace.root, 'personas', id, 'persona.json');

describe('a second persona of a mailbox', () => {
  it('gets its address with a tag, to which a mail has arrived', async () => {
    await open();
    const made = await persona('create', 'workshop');
    expect(made).toMatchObject({
      code: 0,
      json: { persona: { address: 'agent+workshop@lab.test', state: 'ready' }, trial: { mailbox: 'main' } },
    });
    expect(house.handedIn).toMatchObject([{ from: AGENT, to: ['agent+workshop@lab.test'] }]);
    expect(JSON.parse(readFileSync(file('workshop'), 'utf8'))).toEqual({
      name: 'Workshop',
      address: 'agent+workshop@lab.test',
    });
    // An exact address comes before one with a tag, here as in routing.
    expect(await persona('edit', 'ben', '--address', 'agent+ben@lab.test')).toMatchObject({ code: 0 });
    expect(await persona('create', 'again', '--address', 'agent+ben@lab.test')).toMatchObject({
      code: 2,
      json: { error: { message: expect.stringContaining('an address of the persona ben') } },
    });
    expect((await persona('list')).json.personas.map((one: { state: string }) => one.state)).toEqual(
      Array(3).fill('ready'),
    );
  });

  it.each([
    ['a server without such addresses', ['create', 'workshop'], 'agent+workshop@lab.test'],
    ['a name that nobody has there', ['create', 'workshop', '--address', 'workshop@lab.test'], 'workshop@lab.test'],
  ])('is not made at %s, which is told in its words', async (_, args, address) => {
    await open({ [AGENT]: '250 ok', '*': NO_SUCH });
    const { code, json } = await persona(...args);
    expect([code, json.error]).toEqual([
      5,
      { code: 'network', message: expect.stringContaining(address), problems: [] },
    ]);
    expect(json.error.message).toContain('no such user here');
    expect(json.error.message).toContain('nothing was written');
    expect(existsSync(join(workspace.root, 'personas/workshop'))).toBe(false);
    expect(await persona(...args, '--without-trial')).toMatchObject({ code: 0, json: { trial: null } });
  });

  it('is asked of which mailbox, where there are two', async () => {
    const other = { host: '127.0.0.1', port: 1, tls: 'none', user: 'support@other.test', secret_env: 'OTHER' };
    await open({}, [{ id: 'support', imap: other, smtp: other }]);
    const { code, json } = await persona('create', 'workshop');
    expect([code, json.error]).toMatchObject([
      2,
      { message: expect.stringContaining('main (agent@lab.test) or support') },
    ]);
    expect(await persona('create', 'workshop', '--mailbox', 'main')).toMatchObject({
      code: 0,
      json: { persona: { address: 'agent+workshop@lab.test' } },
    });
  });
});
