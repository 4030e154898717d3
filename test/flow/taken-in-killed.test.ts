import { afterEach, describe, expect, it } from 'vitest';
import { openConsole } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

const open: { office?: Awaited<ReturnType<typeof openConsole>> } = {};
afterEach(() => open.office?.close());

const FAY = 'fay@evil.example';

describe('a gateway that is killed while it takes in a mail that was refused', () => {
  it('leaves the mail with its persona and who asked for that on record, and does it once', async () => {
    const office = await openConsole();
    open.office = office;
    await office.ask('Hello', FAY, 'Later');
    const [{ id }] = (await office.cli('mail', 'list', '--refused')).json.mails;
    const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: 'accept.committed' });
    const owner = await office.loggedIn();
    await owner.press(`/mail/${id}/allow`).catch(() => {});
    await dying.death();
    await office.launch({});
    const runs = (await office.cli('runs', 'list')).json.runs;
    expect(runs).toHaveLength(1);
    const { audit } = (await office.cli('audit', '--limit', '500')).json;
    const taken = audit.filter(({ event }: { event: string }) => event === 'mail_taken_in');
    expect(taken).toMatchObject([{ actor: OWNER, persona: 'ada' }]);
  });
});
