import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root as repository } from '../../house/sources.ts';
import { run as commandLine } from '../command-line.ts';
import { CARL, OWNER } from '../governance-rig.ts';
import { mailer, openScripted, type Plan, type Scripted, toolFiles } from './explain-rig.ts';

const BOOK = Array.from({ length: 4000 }, (_none, n) => `Line ${n} of the book.`).join('\\n');

/** Looks up what the mail names, then says what it found. */
const plan: Plan = (mail, results, step) => {
  if (mail.includes('look twice') && step === 0)
    return {
      calls: [
        { name: 'lookup', arguments: { what: 'a' } },
        { name: 'send_email', arguments: {} },
      ],
    };
  if (mail.includes('write to Carl') && step === 0)
    return { calls: [{ name: 'send_email', arguments: { to: [CARL], subject: 'Offer', body: 'Dear Carl' } }] };
  if (mail.includes('read the book') && step === 0) return { calls: [{ name: 'book', arguments: {} }] };
  return { text: `I found ${results.length} things.` };
};

const rig: { scripted?: Scripted } = {};
const scripted = () => rig.scripted as Scripted;

beforeAll(async () => {
  rig.scripted = await openScripted(plan, {
    tools: ['lookup', 'book'],
    files: {
      ...toolFiles('lookup', {
        risk: 'read',
        scope: 'files:read',
        capabilities: ['files'],
        body: "await context.files.list(''); return { path: 'numbers.txt', value: 128 };",
      }),
      ...toolFiles('book', {
        risk: 'read',
        scope: 'files:read',
        body: `return { path: 'book.txt', text: '${BOOK}' };`,
      }),
    },
  });
});
afterAll(async () => {
  await rig.scripted?.office.close();
  await rig.scripted?.model.stop();
});

const send = (() => {
  const made: { mail?: ReturnType<typeof mailer> } = {};
  return (...args: Parameters<ReturnType<typeof mailer>>) => {
    made.mail ??= mailer(scripted());
    return made.mail(...args);
  };
})();

describe('epistle runs explain', () => {
  it('A-22: prints the way from an answer to what its model was given, with each link present', async () => {
    const { run, messageId } = await send('please look twice');
    const { office } = scripted();
    const byQuestion = await vi.waitFor(async () => {
      const told = await office.cli('runs', 'explain', messageId);
      expect(told).toMatchObject({ code: 0, json: { explained: { final: { state: 'sent' } } } });
      return told;
    }, 90_000);
    const byAnswer = await office.cli('runs', 'explain', run.reply_message_id ?? '');
    expect(byAnswer.json).toEqual(byQuestion.json);
    expect((await office.cli('runs', 'explain', run.id)).json).toEqual(byQuestion.json);

    const { explained } = byQuestion.json;
    expect(explained).toMatchObject({
      run: { id: run.id, outcome: 'partial' },
      question: { message_id: messageId, from: 'mia@member.example', tier: 'member' },
      final: {
        message_id: run.reply_message_id,
        text: expect.stringMatching(/^I found 2 things\.\n\nNot done: sending a mail \(not possible in this form\)$/),
        state: 'sent',
      },
      context: { tier: 'member', settings_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      missing: [],
    });
    const [first, second] = explained.steps;
    expect(first).toMatchObject({
      input: { provider: 'steady', model: 'm', request: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      decisions: [{ decision: 'EXECUTE_TOOL', reason: 'allowed' }, { decision: 'CONTINUE_MODEL_LOOP' }],
    });
    expect(first.calls).toMatchObject([
      {
        tool: 'lookup',
        arguments: { what: 'a' },
        permission: { verdict: 'allow', by: 'risk read' },
        ran: { source: 'model', inside: { 'files.list': { calls: 1 } } },
        result: { ok: true },
        observation: { source: { tool: 'lookup', path: 'numbers.txt' }, observed_at: expect.stringContaining('Z') },
      },
      { tool: 'send_email', ran: null, result: { ok: false, code: 'invalid_arguments' } },
    ]);
    expect(second).toMatchObject({ calls: [], decisions: [{ decision: 'FINAL', reason: 'answered' }] });

    const text = await commandLine(['runs', 'explain', messageId, '--workspace', office.root]);
    expect(text.stdout).toMatch(
      /ANSWER.*CLAIMS.*STEP 2.*STEP 1.* lookup\s+observed.*result.*ran .*permission.*arguments.*decided.*was asked.*MODEL INPUT.*QUESTION.*Every link is on record/s,
    );
  });

  it('A-9: names source, query, call, artifact and time of what an answer drew on, in runs show', async () => {
    const { run } = await send('please read the book');
    const { office } = scripted();
    const { json } = await office.cli('runs', 'show', run.id);
    expect(json.run.sources).toMatchObject([
      {
        tool: 'book',
        arguments: {},
        call_id: expect.any(String),
        source: { tool: 'book', path: 'book.txt' },
        artifact: expect.stringMatching(/^[0-9a-f]{64}$/),
        observed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    const text = await commandLine(['runs', 'show', run.id, '--workspace', office.root]);
    expect(text.stdout).toContain('What the answer could draw on:');
    expect(text.stdout).toContain(json.run.sources[0].artifact);
  });

  it('says of a Message-ID that no run has to do with that it knows none', async () => {
    const { code, json } = await scripted().office.cli('runs', 'explain', '<nobody@nowhere.example>');
    expect({ code, error: json.error.code }).toEqual({ code: 1, error: 'not_found' });
  });
});

/** Another program writes into the persona's database, as nobody should. */
function meddle(sql: string, ...values: unknown[]): void {
  const database = new SQLite(join(scripted().office.root, 'data/personas/ada/persona.db'));
  database.prepare(sql).run(...values);
  database.close();
}

/** The program with one of its rules changed. */
function withRule(file: string, before: string, after: string) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-rule-'));
  for (const part of ['engine', 'extensions', 'bin', 'package.json']) {
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain(before);
  writeFileSync(join(folder, file), text.replace(before, after));
  return { entry: join(folder, 'bin/epistle.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

describe('epistle runs replay', () => {
  it('comes out the same to the byte: decisions, requests to the model, results, the mail', async () => {
    const { run } = await send('please look twice, and replay it');
    const { code, json } = await scripted().office.cli('runs', 'replay', run.id);
    expect(json.replay).toMatchObject({ identical: true, difference: null, stale: null });
    expect(code).toBe(0);
    expect(json.replay.compared).toMatchObject({ decisions: 4, requests: 2, calls: 2 });
    expect(json.replay.compared.mail_bytes).toBeGreaterThan(500);
  });

  it('comes out the same over an approval, whatever came into the thread meanwhile', async () => {
    const { office } = scripted();
    const asked = await send('please write to Carl');
    const notice = await office.arrival('approval');
    const between = await send('please look twice', { inReplyTo: asked.messageId });
    await office.answer(notice, 'approve');
    await office.arrival('reply', CARL);
    await office.arrival('reply', 'mia@member.example', 5);
    for (const { run } of [asked, between]) {
      const { json } = await office.cli('runs', 'replay', run.id);
      expect(json.replay, JSON.stringify(json.replay.difference)).toMatchObject({ identical: true });
    }
    const explained = (await office.cli('runs', 'explain', asked.messageId)).json.explained;
    expect(explained.missing).toEqual([]);
    expect(explained.steps[0].calls[0]).toMatchObject({
      permission: { verdict: 'approve' },
      approval: { state: 'executed', decided_by: OWNER },
      ran: { source: 'owner', inside: { 'outgoing.send': { calls: 1 } } },
    });
  });

  it('names what a changed rule decides otherwise, and exits 1', async () => {
    const { run } = await send('please look twice, under other rules');
    const changed = withRule(
      'engine/harness/loop/decide.ts',
      "'EXECUTE_TOOL', reason: 'allowed'",
      "'EXECUTE_TOOL', reason: 'fine'",
    );
    try {
      const ran = await commandLine(['runs', 'replay', run.id, '--json', '--workspace', scripted().office.root], {
        entry: changed.entry,
      });
      expect(ran.code).toBe(1);
      expect(JSON.parse(ran.stdout).replay).toMatchObject({
        identical: false,
        difference: { what: 'decision', recorded: { reason: 'allowed' }, replayed: { reason: 'fine' } },
      });
    } finally {
      changed.remove();
    }
  });

  it('names a mail that is not the one that the run wrote', async () => {
    const { run } = await send('hello');
    meddle(
      "update outbox set raw = cast(replace(cast(raw as text), 'I found 0', 'I found 9') as blob) where run_id = ?",
      run.id,
    );
    const { code, json } = await scripted().office.cli('runs', 'replay', run.id);
    expect(code).toBe(1);
    expect(json.replay.difference).toMatchObject({
      what: expect.stringContaining('mail, byte'),
      recorded: expect.stringContaining('found 9'),
    });
  });

  it('A-23: rebuilds every view from the events, and an edited view changes no decision', async () => {
    const { run } = await send('please look twice, for the views');
    const { office } = scripted();
    expect((await office.cli('runs', 'replay', run.id)).json.replay.stale).toBeNull();

    meddle('update runs set tool_calls = 7 where id = ?', run.id);
    expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({
      identical: false,
      difference: null,
      stale: { what: 'runs.tool_calls', recorded: 7, replayed: 2 },
    });
    meddle('update runs set tool_calls = 2 where id = ?', run.id);
    meddle("update thread_tool_events set tool_name = 'other' where run_id = ? and step_index = 0", run.id);
    expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({
      difference: null,
      stale: { what: 'thread_tool_events 0' },
    });
  });
});
