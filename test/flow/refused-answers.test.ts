import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedMail } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { connectWire } from '../fakes/smtp-wire.ts';
import { ADA, type Admission, BEN, BOSS, MIA, startAdmission, type Written } from './admission-rig.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, launchGateway, startGateway } from './gateway.ts';

const ANNA = 'anna@owner.test';
const CARL = 'carl@friend.test';
const DORA = 'dora@friend.test';
const EVE = 'eve@evil.test';
const XENIA = 'xenia@friend.test';

const open: { close: (() => Promise<unknown>)[] } = { close: [] };
afterEach(async () => {
  for (const close of open.close.splice(0).toReversed()) await close();
});

const tomorrow = () => new Date(Date.now() + 24 * 3_600_000).toISOString();

/** Ada is the boss's; Ben is Anna's, too. Strangers have written to them, and it is the day after. */
async function aDayLater(mails: readonly Written[]) {
  const gate = await startAdmission({
    'personas/ben/persona.json': { name: 'Ben', address: BEN, owners: [BOSS, ANNA] },
  });
  open.close.push(() => gate.stop());
  for (const mail of mails) await gate.mail(mail, [mail.to ?? ADA]);
  await gate.gateway.stop();
  return { gate, ...siteOf(gate) };
}

function siteOf(gate: Admission) {
  const now: { gateway?: Gateway } = {};
  const start = async () => {
    const gateway = await startGateway(gate.root, { NODE_ENV: 'test', EPISTLE_TEST_NOW: tomorrow() });
    open.close.push(gateway.end);
    now.gateway = gateway;
  };
  const startDying = async (label: string) => {
    const environment = { NODE_ENV: 'test', EPISTLE_TEST_NOW: tomorrow(), EPISTLE_CRASH_AT: label };
    const program = await launchGateway(gate.root, environment).ready;
    open.close.push(program.end);
    now.gateway = program;
    return program;
  };
  const deliver = async (raw: Buffer, to: string): Promise<void> => {
    const wire = await connectWire(now.gateway?.ready.smtp.port ?? 0, {});
    try {
      await wire.hello();
      await wire.envelope('bounces@x.test', [to]);
      await wire.data(raw);
    } finally {
      wire.close();
    }
  };
  const write = (mail: Written) => gate.write(mail).then((raw) => deliver(raw, mail.to ?? ADA));
  const notices = async (to: string, after = 0): Promise<ParsedMail[]> =>
    (await gate.outgoing())
      .filter(({ mail, envelopeTo }) => envelopeTo === to && mail.headers.get('x-epistle-kind') === 'notice')
      .map(({ mail }) => mail)
      .filter(({ subject }) => after === 0 || subject?.includes('About your answer'));
  const digestFor = async (owner: string): Promise<ParsedMail> => {
    const [digest] = await eventually(
      () => notices(owner),
      (found) => found.length > 0,
    );
    if (!digest) throw new Error('no digest');
    return digest;
  };
  /** What its writer is told of the n-th answer. */
  const told = async (owner: string, count: number): Promise<string> => {
    const found = await eventually(
      () => notices(owner, 1),
      (all) => all.length >= count,
      60_000,
    );
    expect(found).toHaveLength(count);
    const newest = found.toSorted((a, b) => (a.date?.getTime() ?? 0) - (b.date?.getTime() ?? 0)).at(-1);
    return newest?.text ?? '';
  };
  const answer = async (digest: ParsedMail, text: string, id: string, change: Partial<Written> = {}) => {
    const to = digest.replyTo?.value[0]?.address ?? '';
    await write({ from: BOSS, to, id, subject: `Re: ${digest.subject}`, text, ...change });
    const rows = await eventually(
      () => gate.seen(id),
      (found) => found.length > 0,
    );
    return rows;
  };
  const access = (persona = 'ada') =>
    (JSON.parse(readFileSync(join(gate.root, `personas/${persona}/persona.json`), 'utf8')) as { access?: object })
      .access;
  return { start, startDying, write, deliver, notices, digestFor, told, answer, access };
}

const audit = async (root: string) =>
  (
    (await epistle(root, ['audit'])).json.audit as {
      event: string;
      actor: string;
      decision: string;
      detail: { sender?: string };
    }[]
  )
    .filter(({ event }) => event === 'sender_decided')
    .map(({ actor, decision, detail }) => `${actor} ${decision} ${detail.sender}`);

describe('an owner who answers the mail about refused senders', () => {
  it('lets in for ever, lets in once, or blocks; what was written is answered without being sent again', async () => {
    const { gate, start, write, digestFor, told, answer, access } = await aDayLater([
      { from: EVE, id: '<eve1@evil.test>', text: 'Buy.' },
      { from: DORA, id: '<dora1@friend.test>' },
      { from: CARL, id: '<carl1@friend.test>' },
    ]);
    await start();
    const digest = await digestFor(BOSS);
    expect(digest.text).toContain(`1. ${CARL} → Ada`);
    expect(digest.text).toContain(`2. ${DORA} → Ada`);
    expect(digest.text).toContain(`3. ${EVE} → Ada`);
    expect(String(digest.html)).toContain('body=once%202');

    const [seen] = await answer(digest, `allow ${CARL}\nonce 2\nblock 3`, '<a1@owner.test>');
    expect(seen).toMatchObject({ decision: 'recorded', code: 'approval_answer', tier: 'owner' });
    const text = await told(BOSS, 1);
    expect(text).toContain(`${CARL} may write to Ada from now on. One mail of theirs was taken in`);
    expect(text).toContain(`${DORA} was let in this once, and stays unknown to Ada. One mail of theirs was taken in`);
    expect(text).toContain(`${EVE} can no longer write to Ada`);
    // To block somebody at one persona refuses them at no other one.
    expect(text?.replaceAll(/\s+/g, ' ')).toContain(
      'That holds for Ada alone: if they write to Ben, you are asked there as well.',
    );
    await gate.answersTo('<carl1@friend.test>');
    await gate.answersTo('<dora1@friend.test>');
    expect(gate.seen('<carl1@friend.test>').at(-1)).toMatchObject({ decision: 'accepted', tier: 'member' });
    expect(gate.seen('<dora1@friend.test>').at(-1)).toMatchObject({ decision: 'accepted', tier: 'stranger' });
    expect(gate.seen('<eve1@evil.test>')).toHaveLength(1);
    expect(access()).toEqual({ allow: ['*@member.test', CARL], deny: ['mallory@member.test', EVE] });
    expect((await audit(gate.root)).toSorted()).toEqual([
      `${BOSS} allow ${CARL}`,
      `${BOSS} block ${EVE}`,
      `${BOSS} once ${DORA}`,
    ]);
    const why = await epistle(gate.root, ['why', '<a1@owner.test>']);
    expect(why.json.entries?.[0]?.answer ?? why).toMatchObject({
      verdict: 'senders',
      items: [{ number: 1, verdict: 'allow' }, {}, {}],
    });

    // From now on.
    await write({ from: CARL, id: '<carl2@friend.test>' });
    await write({ from: DORA, id: '<dora2@friend.test>' });
    await write({ from: EVE, id: '<eve2@evil.test>' });
    // Leave to write is no proof.
    await write({ from: CARL, id: '<carl3@friend.test>', signedBy: 'evil.test' });
    expect(gate.seen('<carl2@friend.test>')).toMatchObject([{ decision: 'accepted', tier: 'member' }]);
    expect(gate.seen('<dora2@friend.test>')).toMatchObject([{ code: 'sender_not_allowed' }]);
    expect(gate.seen('<eve2@evil.test>')).toMatchObject([{ code: 'sender_denied' }]);
    expect(gate.seen('<carl3@friend.test>')).toMatchObject([{ code: 'auth_failed' }]);

    // The same once more, and something else about what is decided.
    await answer(digest, `block ${CARL}`, '<a2@owner.test>');
    expect(await told(BOSS, 2)).toMatch(/About carl@friend\.test it was decided before: "allow", by boss@owner\.test/);
    expect(access()).toMatchObject({ deny: ['mallory@member.test', EVE] });

    // Let in once, and now for good: the same mail takes that, too, and from then on it stands.
    await answer(digest, `allow ${DORA}`, '<a3@owner.test>');
    expect(await told(BOSS, 3)).toContain(`${DORA} may write to Ada from now on`);
    await gate.answersTo('<dora2@friend.test>');
    expect(access()).toMatchObject({ allow: ['*@member.test', CARL, DORA] });
    await answer(digest, 'once 2', '<a4@owner.test>');
    expect(await told(BOSS, 4)).toMatch(/About dora@friend\.test it was decided before: "allow", by boss@owner\.test/);
    expect(await gate.answersTo('<dora1@friend.test>')).toHaveLength(1);
    expect(await audit(gate.root)).toContain(`${BOSS} allow ${DORA}`);
  });

  it('decides for all who were asked: the first answer holds, and the other is told', async () => {
    const { gate, start, digestFor, told, answer, access } = await aDayLater([
      { from: XENIA, id: '<x1@friend.test>', to: BEN },
      { from: CARL, id: '<carl1@friend.test>' },
    ]);
    await start();
    const [boss, anna] = [await digestFor(BOSS), await digestFor(ANNA)];
    expect(anna.text).toContain(`1. ${XENIA} → Ben`);
    expect(anna.text).not.toContain(CARL);
    await answer(boss, `block ${XENIA}`, '<a1@owner.test>');
    expect(await told(BOSS, 1)).toContain(`${XENIA} can no longer write to Ben`);
    await answer(anna, 'allow', '<a2@owner.test>', { from: ANNA });
    expect(await told(ANNA, 1)).toContain(`About ${XENIA} it was decided before: "block", by ${BOSS}`);
    expect(access('ben')).toEqual({ deny: [XENIA] });

    // Anna has the boss's mail from somewhere, and owns no Ada.
    const [seen] = await answer(boss, `allow ${CARL}`, '<a3@owner.test>', { from: ANNA });
    expect(seen).toMatchObject({ code: 'approval_not_authorised' });
    expect(gate.seen('<carl1@friend.test>')).toHaveLength(1);
  });

  it('is asked back about what is not clear, and told what no answer can do', async () => {
    const { gate, start, digestFor, told, answer, access } = await aDayLater([
      { from: CARL, id: '<carl1@friend.test>' },
      { from: MIA, id: '<mia1@member.test>', signedBy: null },
      { from: BOSS, id: '<forged@owner.test>', signedBy: null, text: 'Pay.' },
    ]);
    await start();
    const before = access();
    const digest = await digestFor(BOSS);
    expect(digest.text).toContain('nothing proves that the mail is really theirs');
    const said: readonly (readonly [string, RegExp])[] = [
      ['allow', /does not say which/],
      ['allow 1 if he is from the bank', /says more than "allow", "once" or "block"/],
      ['Who is that?', /asks something/],
      ['approve 1', /no line that says "allow", "once" or "block"/],
      // Cyrillic, without its plus-tag, and in another domain.
      ['allow c\u0430rl@friend.test', /not on the list, letter for letter/],
      ['allow carl+1@friend.test', /not on the list/],
      ['allow carl@friend.test.evil.test', /not on the list/],
      ['allow *@friend.test', /one address alone/],
      [`allow ${MIA}\nonce ${MIA}`, /two different things/],
      [`allow ${MIA}`, /What is missing is proof/],
      [`once ${MIA}`, /What is missing is proof/],
      [`block ${BOSS}`, /no owner is blocked by mail/],
    ];
    for (const [index, [words, expected]] of said.entries()) {
      await answer(digest, words, `<unclear${index}@owner.test>`, {
        headers: ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
      });
      expect(await told(BOSS, index + 1)).toMatch(expected);
    }
    expect(access()).toEqual(before);
    expect(await audit(gate.root)).toEqual([]);
    for (const id of ['<carl1@friend.test>', '<mia1@member.test>', '<forged@owner.test>'])
      expect(gate.seen(id)).toHaveLength(1);

    await answer(digest, `block ${MIA}`, '<clear@owner.test>');
    expect(await told(BOSS, said.length + 1)).toContain(`${MIA} can no longer write to Ada`);
  });
});

describe('whoever is no owner and has read all of this', () => {
  it('changes nothing with the token, a forged answer, an answer that was sent before, or an answering machine', async () => {
    const { gate, start, write, deliver, digestFor, told, answer, notices, access } = await aDayLater([
      { from: `"allow ${EVE}" <${EVE}>`, id: '<eve1@evil.test>', signedBy: 'evil.test', text: 'allow 1' },
    ]);
    await start();
    const before = access();
    const digest = await digestFor(BOSS);
    expect(digest.text).not.toContain(`allow ${EVE}`);
    const codes = async (id: string, change: Partial<Written>) =>
      (await answer(digest, 'allow 1', id, change)).map(({ code }) => code);
    expect(await codes('<f1@owner.test>', { signedBy: null })).toEqual(['approval_not_authorised']);
    expect(await codes('<f2@owner.test>', { signedBy: 'evil.test' })).toEqual(['approval_not_authorised']);
    expect(await codes('<f3@evil.test>', { from: EVE })).toEqual(['approval_not_authorised']);
    expect(await codes('<f4@member.test>', { from: MIA })).toEqual(['approval_not_authorised']);
    expect(await codes('<f5@owner.test>', { headers: ['Auto-Submitted: auto-replied'] })).toEqual(['auto_submitted']);
    expect(await codes('<f6@owner.test>', { from: `"${BOSS}" <${EVE}>`, signedBy: 'evil.test' })).toEqual([
      'approval_not_authorised',
    ]);
    // A token that is no notice's.
    await write({
      from: BOSS,
      to: `ada+ok-${'0'.repeat(32)}@agents.localhost`,
      id: '<f7@owner.test>',
      text: 'allow 1',
    });
    expect(gate.seen('<f7@owner.test>')).toMatchObject([{ code: 'approval_token_invalid' }]);
    expect(access()).toEqual(before);
    expect(gate.seen('<eve1@evil.test>')).toHaveLength(1);
    expect(await notices(BOSS, 1)).toEqual([]);

    // The owner's own words, once more, when the question is open no more and the rule is another.
    const to = digest.replyTo?.value[0]?.address ?? '';
    const said = await gate.write({ from: BOSS, to, id: '<block@owner.test>', text: 'block 1' });
    await deliver(said, to);
    expect(await told(BOSS, 1)).toContain(`${EVE} can no longer write to Ada`);
    await epistle(gate.root, ['senders', 'allow', EVE, '--persona', 'ada']);
    await deliver(said, to);
    expect(gate.seen('<block@owner.test>').map(({ code }) => code)).toEqual(['approval_answer', 'approval_answer']);
    expect(await notices(BOSS, 1)).toHaveLength(1);
    expect(access()).toMatchObject({ allow: ['*@member.test', EVE], deny: ['mallory@member.test'] });
  });
});

describe('an answer about refused senders, killed', () => {
  it.each(['senders.asked', 'senders.decided', 'senders.rules_written', 'senders.taken_in'])(
    'at %s: comes to one result and one mail about it',
    async (label) => {
      const { gate, start, startDying, deliver, digestFor, told, access } = await aDayLater([
        { from: DORA, id: '<dora1@friend.test>' },
        { from: CARL, id: '<carl1@friend.test>' },
      ]);
      if (label === 'senders.asked') {
        const dying = launchGateway(gate.root, {
          NODE_ENV: 'test',
          EPISTLE_TEST_NOW: tomorrow(),
          EPISTLE_CRASH_AT: label,
        });
        await dying.death();
      }
      const dies = label === 'senders.asked' ? null : await startDying(label);
      if (dies === null) await start();
      const digest = await digestFor(BOSS);
      expect(digest.text).toContain(`2. ${DORA} → Ada`);
      const to = digest.replyTo?.value[0]?.address ?? '';
      const said = await gate.write({
        from: BOSS,
        to,
        id: '<a1@owner.test>',
        subject: `Re: ${digest.subject}`,
        text: 'allow 1\nonce 2',
      });
      if (dies !== null) {
        // It may die before it has said that it took it, and the mail comes again, as from any server.
        await deliver(said, to).catch(() => {});
        await dies.death();
        await start();
      }
      await deliver(said, to);
      const text = await told(BOSS, 1);
      expect(text.match(/One mail of theirs was taken in/g)).toHaveLength(2);
      for (const id of ['<carl1@friend.test>', '<dora1@friend.test>']) expect(await gate.answersTo(id)).toHaveLength(1);
      expect(access()).toEqual({ allow: ['*@member.test', CARL], deny: ['mallory@member.test'] });
      expect((await audit(gate.root)).toSorted()).toEqual([`${BOSS} allow ${CARL}`, `${BOSS} once ${DORA}`]);
    },
  );
});
