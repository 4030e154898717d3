import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, type Admission, BOSS, MIA, startAdmission } from './admission-rig.ts';
import { atRest } from './at-rest.ts';
import { run } from './command-line.ts';
import { eventually } from './eventually.ts';
import { epistle } from './gateway.ts';

const EVE = 'eve@evil.test';

let gate: Admission;
beforeAll(async () => {
  gate = await startAdmission({
    'configs/system.json': { console: { enabled: false }, log: { level: 'info', format: 'json' } },
  });
  await gate.mail({ from: MIA, id: '<first@member.test>' });
  await gate.send(await gate.write({ from: EVE, id: '<offer-123@evil.test>' }));
  await gate.send(await gate.write({ from: 'nobody@nowhere.test', id: '<plain@nowhere.test>', signedBy: null }));
  await gate.runOf('<first@member.test>');
});
afterAll(() => gate?.stop());

const cli = (...words: string[]) => epistle(gate.root, words);
const text = async (...words: string[]) => (await run(['--workspace', gate.root, ...words])).stdout;
const shown = (mails: readonly { message_id: string }[]) => mails.map(({ message_id }) => message_id);

describe('mail that came', () => {
  it('is in the log, each with its fate', () => {
    const lines = gate.gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('"mail '));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', msg: 'mail accepted', from: MIA, to: 'ada', message_id: '<first@member.test>' },
      { level: 'info', msg: 'mail refused', code: 'sender_not_allowed', from: EVE, subject: 'A question' },
      { level: 'info', msg: 'mail refused', code: 'auth_failed', from: 'nobody@nowhere.test' },
    ]);
  });

  it('is listed with sender and subject, newest first', async () => {
    const { json, code } = await cli('mail', 'list');
    expect(code).toBe(0);
    expect(json).toMatchObject({ ok: true, next: null });
    expect(shown(json.mails)).toEqual(['<plain@nowhere.test>', '<offer-123@evil.test>', '<first@member.test>']);
    expect(json.mails[1]).toMatchObject({ from: EVE, subject: 'A question', decision: 'refused', persona: 'ada' });
    expect(await text('mail', 'list')).toMatch(/eve@evil\.test +ada +A question +refused: its sender is on no list/);
    const first = await cli('mail', 'list', '--limit', '1');
    const rest = await cli('mail', 'list', '--after', first.json.next);
    expect(shown(rest.json.mails)).toEqual(['<offer-123@evil.test>', '<first@member.test>']);
  });

  it('is narrowed by what people look for', async () => {
    expect(shown((await cli('mail', 'list', '--refused', '--from', 'EVE', '--since', '1h')).json.mails)).toEqual([
      '<offer-123@evil.test>',
    ]);
    expect((await cli('mail', 'list', '--subject', 'nothing like it')).json.mails).toEqual([]);
    expect((await cli('mail', 'list', '--since', 'yesterday')).code).toBe(2);
  });

  it('is asked about without its Message-ID, and the answer has a cure', async () => {
    const asked = await Promise.all([
      cli('why', '--from', 'eve'),
      cli('why', 'offer-1'),
      cli('why', '123@evil.test'),
      cli('why', (await cli('mail', 'list', '--from', 'eve')).json.mails[0].id),
    ]);
    expect(asked.map(({ json }) => json.message_id)).toEqual(Array(4).fill('<offer-123@evil.test>'));
    expect(asked[0]?.json.entries[0].cure).toContain(`add "${EVE}" to access.allow in personas/ada/persona.json`);
    expect((await cli('why', 'last')).json.message_id).toBe('<plain@nowhere.test>');
    expect(await text('why', 'last')).toContain(
      '  cure      nothing proves who wrote it; its sender needs DKIM or SPF',
    );
    expect(await cli('why', '.test')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(await cli('why')).toMatchObject({ code: 2 });
    const words = await cli('why', 'Hello 6');
    expect(words).toMatchObject({ code: 2, json: { error: { message: expect.stringContaining('--subject') } } });
    expect(await cli('why', '--from', 'unheard-of')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });
});

describe('a sender whose mail was refused', () => {
  const FAY = 'fay@evil.test';
  const accessOf = () => JSON.parse(readFileSync(join(gate.root, 'personas/ada/persona.json'), 'utf8')).access;

  it('is listed, let in with the mail that was kept, and blocked again', async () => {
    await gate.send(await gate.write({ from: FAY, id: '<fay@evil.test>' }));
    const { senders } = (await cli('senders', 'list', '--persona', 'ada')).json;
    expect(senders).toContainEqual(
      expect.objectContaining({ from: FAY, persona: 'ada', mails: 1, codes: ['sender_not_allowed'] }),
    );
    const allowed = await cli('senders', 'allow', FAY);
    expect(allowed.json).toMatchObject({ personas: ['ada'], taken_in: [{ message_id: '<fay@evil.test>' }] });
    await gate.runOf('<fay@evil.test>');
    expect(await gate.answersTo('<fay@evil.test>')).toHaveLength(1);
    expect(accessOf().allow).toContain(FAY);

    expect(await cli('senders', 'block', FAY, '--persona', 'ada')).toMatchObject({ code: 0 });
    expect(accessOf().allow).not.toContain(FAY);
    expect(accessOf().deny).toContain(FAY);
    expect(await cli('senders', 'allow', 'not a pattern', '--persona', 'ada')).toMatchObject({
      code: 2,
      json: { error: { code: 'config_invalid' } },
    });
    const { audit } = (await cli('audit')).json as { audit: { event: string; detail: { sender?: string } }[] };
    expect(audit.filter(({ event, detail }) => event === 'sender_decided' && detail.sender === FAY)).toMatchObject([
      { persona: 'ada', actor: 'cli', decision: 'block', run_id: null },
      { persona: 'ada', actor: 'cli', decision: 'allow' },
    ]);
    expect(audit.filter(({ detail }) => detail.sender === 'not a pattern')).toEqual([]);
  });

  it('whom nothing proves stays refused, and that is said; so is that an owner is blocked', async () => {
    const allowed = await cli('senders', 'allow', 'nobody@nowhere.test');
    expect(allowed.json).toMatchObject({ taken_in: [], not_proven: 1 });
    expect(await text('senders', 'allow', 'nobody@nowhere.test')).toContain(
      '1 of theirs stays refused: nothing proves',
    );
    const blocked = await text('senders', 'block', '*@owner.test', '--persona', 'ada');
    expect(blocked).toContain(`${BOSS} is an owner`);
    const vain = await cli('senders', 'allow', 'x@owner.test', '--persona', 'ada');
    expect(vain.json).toMatchObject({ still_denied_by: ['ada'] });
    expect(await text('senders', 'allow', 'x@owner.test', '--persona', 'ada')).not.toContain('may write');
    expect((await cli('senders', 'allow', '*@owner.test', '--persona', 'ada')).json).toMatchObject({ ok: true });
  });
});

describe('a rule that opens a persona to people whom nobody knows', () => {
  const accessOf = () => JSON.parse(readFileSync(join(gate.root, 'personas/ada/persona.json'), 'utf8')).access;

  it.each(['*', '*@gmail.com', '*@outlook.de'])(
    '%s: says what it opens, and is written with --yes alone; `remove` takes it back',
    async (pattern) => {
      const asked = await cli('senders', 'allow', pattern, '--persona', 'ada');
      expect(asked).toMatchObject({
        code: 2,
        json: { error: { message: expect.stringMatching(/lets in everybody.*--yes/) } },
      });
      expect(accessOf().allow).not.toContain(pattern);
      expect(await text('senders', 'allow', pattern, '--persona', 'ada', '--yes')).toContain('This lets in everybody');
      expect(accessOf().allow).toContain(pattern);
      expect((await cli('senders', 'remove', pattern)).json).toMatchObject({
        removed: [{ persona: 'ada', lists: ['allow'] }],
      });
      expect(accessOf().allow).not.toContain(pattern);
      expect(await cli('senders', 'remove', pattern)).toMatchObject({
        code: 1,
        json: { error: { code: 'not_found' } },
      });
    },
  );

  it('is none of one address there, or of one company', async () => {
    for (const pattern of ['carol@gmail.com', '*@company.example'])
      expect(await cli('senders', 'allow', pattern, '--persona', 'ada')).toMatchObject({ code: 0 });
  });
});

describe('a refused mail', () => {
  it('is shown with its source, and can be taken in once its sender is allowed: answered, once', async () => {
    const shown = await cli('mail', 'show', 'offer-');
    expect(shown.json.mail).toMatchObject({ kept: true, decision: 'refused' });
    expect(shown.json.mail.source).toContain('Subject: A question');

    expect(await cli('mail', 'retry', shown.json.mail.id)).toMatchObject({
      code: 1,
      json: { results: [{ decision: 'refused', code: 'sender_not_allowed' }] },
    });

    const allowed = { name: 'Ada', address: ADA, owners: [BOSS], access: { allow: ['*@member.test', EVE] } };
    writeFileSync(join(gate.root, 'personas/ada/persona.json'), JSON.stringify(allowed));
    const retried = await cli('mail', 'retry', shown.json.mail.id);
    expect(retried).toMatchObject({ code: 0, json: { results: [{ decision: 'accepted', persona: 'ada' }] } });
    await gate.runOf('<offer-123@evil.test>');
    expect(await gate.answersTo('<offer-123@evil.test>')).toHaveLength(1);

    expect(await cli('mail', 'retry', shown.json.mail.id)).toMatchObject({
      code: 1,
      json: { error: { code: 'wrong_state', message: expect.stringContaining('taken in since') } },
    });
    await eventually(
      async () => (await cli('mail', 'list', '--from', 'eve')).json.mails[0].decision,
      (decision) => decision === 'accepted',
    );
  });

  it('that nobody proved stays refused, and is told apart from one that was taken in', async () => {
    expect(await cli('mail', 'retry', 'plain@nowhere.test')).toMatchObject({
      code: 1,
      json: { results: [{ decision: 'refused', code: 'auth_failed' }] },
    });
    expect(await cli('mail', 'retry', 'first@member.test')).toMatchObject({
      code: 1,
      json: { error: { code: 'wrong_state' } },
    });
  });
});

describe('words of a stranger on a terminal', () => {
  it('command it nothing: no escape sequence of a refused mail is shown, and JSON has it as it is', async () => {
    const body = 'a \u001b]0;title\u0007 b \u001b[2J c \u009b31m \u202e d';
    const file = join(gate.root, 'hostile.eml');
    const head = `From: \u001b[31mMal <mal@evil.test>\r\nTo: ${ADA}\r\nMessage-ID: <esc@evil.test>\r\nSubject: x\u001b[5m`;
    writeFileSync(file, `${head}\r\n\r\n${body}\r\n`);
    await run(['--workspace', gate.root, 'deliver', file]);
    const shownText = await text('mail', 'show', '<esc@evil.test>');
    expect(shownText).toContain('a ]0;title b [2J c 31m  d');
    expect(shownText).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    expect((await cli('mail', 'show', '<esc@evil.test>')).json.mail.source).toContain(body);
  });
});

describe('somebody who was let in, and is taken off the list', () => {
  it('hears of it once, and nobody else does; a stranger hears nothing', async () => {
    const GUS = 'gus@evil.test';
    await cli('senders', 'allow', GUS, '--persona', 'ada');
    await gate.mail({ from: GUS, id: '<in@evil.test>' });
    await gate.runOf('<in@evil.test>');
    await cli('senders', 'remove', GUS);
    const toThem = async (address: string) =>
      (await gate.outgoing()).filter(
        ({ envelopeTo, mail }) => envelopeTo === address && mail.inReplyTo !== '<in@evil.test>',
      );
    for (const id of ['<out-1@evil.test>', '<out-2@evil.test>'])
      await gate.send(await gate.write({ from: GUS, id, text: 'Is my bike ready, or shall I come tomorrow?' }));
    await gate.send(await gate.write({ from: 'hal@evil.test', id: '<new@evil.test>' }));
    const told = await eventually(
      () => toThem(GUS),
      ({ length }) => length > 0,
    );
    await atRest(gate.root);
    expect(told.map(({ mail }) => mail.text)).toEqual([
      expect.stringContaining('I do not answer mail from your address'),
    ]);
    expect(await toThem(GUS)).toHaveLength(1);
    expect(await toThem('hal@evil.test')).toEqual([]);
  });
});
