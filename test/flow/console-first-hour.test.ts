import { afterEach, describe, expect, it } from 'vitest';
import { type Answered, openConsole } from './console-rig.ts';

// Where a new owner hesitated (test/stories/console-first-hour.md): each of these led on from none of the places that they looked at.

const open: { office: Awaited<ReturnType<typeof openConsole>> | null } = { office: null };
afterEach(async () => {
  await open.office?.close();
  open.office = null;
});

async function opened(files: Readonly<Record<string, string | object>> = {}) {
  const office = await openConsole(files);
  open.office = office;
  return { office, owner: await office.loggedIn() };
}

const said = ({ text }: Answered): string => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');

describe('the first hour in the console', () => {
  it('begins on Today with what to do first, which goes once it is done', async () => {
    const { office, owner } = await opened();
    const first = await owner.get('/');
    expect(first.text).toContain('<a href="/mail/test">Write a test mail</a>');
    expect(said(first)).toContain('no model reads mail yet');
    expect(said(first)).toMatch(/Have a model read your mail: .* setup .*asks for one, and for a mailbox\./);
    expect(said(first)).toContain('This gateway may run on; should it have to stop, setup asks.');
    expect(first.text).toContain('<a href="/costs#budget">Set one</a>');
    expect(said(await owner.get('/mail'))).toContain(
      'Write one to ada@agents.localhost or ben@agents.localhost. To see first what would be answered, write a test mail.',
    );
    await office.ask('Hello');
    expect((await owner.get('/')).text).not.toContain('/mail/test');
  });

  it('tries a mail that would be refused once more with other eyes, without typing it again', async () => {
    const { owner } = await opened();
    await owner.get('/mail/test');
    const mail = { persona: 'ada', subject: 'Hours', text: 'When are you open?' };
    const refused = await owner.press('/mail/test', { ...mail, as: 'stranger' });
    expect(said(refused)).toContain('What to do: Nothing, unless you want such mail answered.');
    expect(refused.text).not.toContain('access.allow');
    const [, form = ''] = refused.text.split('The same mail with other eyes');
    const fields = [...(form.split('</form>')[0] ?? '').matchAll(/name="(\w+)" value="([^"]*)"/g)];
    const given = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
    expect(given).toMatchObject({ ...mail, as: 'member' });
    const tried = await owner.press('/mail/test', given);
    expect(tried.status).toBe(303);
    const shown = said(await owner.get(String(tried.headers.location)));
    expect(shown).toContain('Try it as a stranger');
    expect(shown).not.toContain('Try it as a member');
  });

  it('says where to go on where a mail is refused once more', async () => {
    const { office, owner } = await opened();
    await office.post({ from: 'eve@evil.example', subject: 'Hello', text: 'Hi' }).catch(() => {});
    const { text } = await owner.get('/mail?fate=refused');
    const [, page = ''] = /href="(\/mail\/\d+)"/.exec(text) ?? [];
    expect(page).not.toBe('');
    const again = await owner.press(`${page}/take-in`);
    expect(again.status).toBe(409);
    const [, next = ''] = /<a href="(\/mail\/\d+)" data-up>Its page/.exec(again.text) ?? [];
    expect(next).not.toBe('');
    expect((await owner.get(next)).status).toBe(200);
  });

  it('tells no more what to do about a refused mail once it was taken in', async () => {
    const { office, owner } = await opened();
    await office.post({ from: 'eve@evil.example', subject: 'Closing time', text: 'Hi' }).catch(() => {});
    const { text } = await owner.get('/');
    const [, page = ''] = /action="(\/mail\/\d+)\/allow"/.exec(text) ?? [];
    const came = await owner.press(`${page}/allow`);
    expect([page, came.status]).toEqual([expect.stringMatching(/^\/mail/), 303]);
    expect((await owner.get('/')).text).not.toContain('Closing time');
    const before = await owner.get(page);
    expect(before.text).toContain(`It was taken in since: <a href="${came.headers.location}">`);
    expect(before.text).not.toContain('/allow"');
  });

  it('takes a list of texts as lines', async () => {
    const { office, owner } = await opened();
    const key = 'gateway_auth.trusted_received';
    const shown = await owner.get(
      `/settings/change?file=security&key=${key}&to=${encodeURIComponent('imap.shop.example\r\n mx.shop.example')}`,
    );
    expect(said(shown)).toContain('Write one entry a line.');
    expect(shown.text).not.toContain('This would be wrong');
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(shown.text)?.[1] ?? '';
    const to = field('to').replaceAll('&quot;', '"');
    expect(JSON.parse(to)).toEqual(['imap.shop.example', 'mx.shop.example']);
    const written = await owner.press('/settings/change', { file: 'security', key, hash: field('hash'), to });
    expect(written.status).toBe(303);
    const { json } = await office.cli('config', 'show');
    expect(JSON.stringify(json)).toContain('mx.shop.example');
  });

  it('proposes a budget for whoever works without one', async () => {
    const { office, owner } = await opened();
    await office.post({ to: 'ben@agents.localhost', subject: 'Hours', text: 'When are you open?' });
    await expect
      .poll(async () => (await owner.get('/costs')).text, { timeout: 30_000 })
      .toMatch(/value="ben" selected/);
  });

  it('says beside the field for a budget what is set now', async () => {
    const { owner } = await opened();
    expect(said(await owner.get('/costs'))).toContain('Ada, no budget now');
    await owner.press('/costs/budget', { persona: 'ada', was_ada: '', usd: '2' });
    expect(said(await owner.get('/costs'))).toContain('Ada, now $2.00');
  });
});
