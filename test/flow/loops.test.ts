import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopRun } from '../../scripts/lib/soak/loops/loop-run.ts';
import { headerOf, type PostOffice, startPostOffice, withoutMarks } from '../../scripts/lib/soak/loops/post-office.ts';
import { plainMail } from '../../scripts/lib/soak/loops/robots.ts';
import { look } from '../../scripts/lib/soak/rows.ts';
import { submit } from '../../scripts/lib/soak/submit.ts';
import { eventually } from './eventually.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

describe('two gateways among robots that answer everything, over servers that take off every mark of a program', () => {
  it('stop at the limits, tell each owner once, and go on answering people', async () => {
    const report = await loopRun({
      limits: {
        max_replies_per_thread_per_hour: 5,
        max_replies_per_sender_per_hour: 10,
        fast_reply_s: 2,
        max_fast_replies: 3,
      },
      atLeastMs: 0,
      // Longer than the slowest robot takes, so that silence means the end.
      quietMs: 6000,
      atMostMs: 120_000,
      say: () => {},
    });
    expect(report.problems).toEqual([]);
    const { answers, notices } = Object.fromEntries([
      ['answers', Object.fromEntries(report.loops.map((loop) => [loop.persona, loop.answers]))],
      ['notices', Object.fromEntries(report.loops.map((loop) => [loop.persona, loop.notices]))],
    ]);
    // What does not depend on the speed of the machine.
    expect(answers).toMatchObject({ cem: 5, gus: 1, jon: 1 });
    expect(notices).toMatchObject({ ben: 1, cem: 1, dora: 1, eli: 1, fay: 1, gus: 1, hal: 1, jon: 1 });
  });
});

describe('two personas of one gateway that answer each other', () => {
  const DEPTH = 3;
  let post: PostOffice;
  let workspace: TestWorkspace;
  let gateway: Gateway;

  beforeEach(async () => {
    post = await startPostOffice();
    const smtp = { host: '127.0.0.1', port: post.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
    const persona = (name: string) => ({
      name,
      address: `${name}@agents.localhost`,
      access: { allow: ['*@member.example', '*@agents.localhost'] },
    });
    workspace = makeWorkspace({
      'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'out', smtp }] },
      'configs/inference.json': { provider: 'offline', recursion_depth: DEPTH },
      'personas/ada/persona.json': persona('ada'),
      'personas/ben/persona.json': persona('ben'),
    });
    gateway = await startGateway(workspace.root);
  });
  afterEach(async () => {
    await gateway.end();
    await post.stop();
    workspace.remove();
  });

  /** What leaves comes back in through `pass`; a member's mail asks ada to answer ben. */
  const wire = (pass: (raw: string) => string) => {
    const secret = readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();
    post.serve('agents.localhost', async ({ from, to, raw }) => {
      const mail = { from, to: [to], raw: Buffer.from(pass(raw), 'latin1') };
      await submit({ port: gateway.ready.smtp.port, secret }, mail);
    });
    post.post(
      plainMail({
        from: 'mia@member.example',
        to: 'ada@agents.localhost',
        replyTo: 'ben@agents.localhost',
        subject: 'Talk to each other',
        text: 'Ask Ben.',
        messageId: '<kick-off@member.example>',
      }),
    );
  };
  const codes = () =>
    look(join(workspace.root, 'data/gateway.db'), (database) =>
      database.prepare('select code from seen where code is not null').pluck().all(),
    );

  /** What the personas wrote to each other: their owner is told of the end at a time of its own. */
  const between = () => {
    const left = post.taken.filter(({ to }) => to.endsWith('@agents.localhost'));
    expect(post.taken.length - left.length).toBeLessThanOrEqual(1);
    return left;
  };

  it('end when the signed count of hops is used up', async () => {
    wire((raw) => raw);
    expect(await eventually(codes, (found) => found.length > 0)).toEqual(['hop_limit']);
    const left = between().map(
      ({ raw }) => headerOf(raw, 'X-Epistle-Recursion')?.split(';')[0] ?? headerOf(raw, 'Subject'),
    );
    expect(left).toEqual(['3', '2', '1', '0']);
  });

  it('end at once when somebody took the count away', async () => {
    wire(withoutMarks);
    expect(await eventually(codes, (found) => found.length > 0)).toEqual(['own_message']);
    expect(between()).toHaveLength(1);
  });

  it('end at once when somebody set the count anew', async () => {
    wire((raw) => raw.replace(/^X-Epistle-Recursion: \d+/m, 'X-Epistle-Recursion: 9'));
    expect(await eventually(codes, (found) => found.length > 0)).toEqual(['own_message']);
    expect(between()).toHaveLength(1);
  });
});
