import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { openPersonaDb } from './persona-db.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

describe('a turn that makes the same call several times', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  beforeAll(async () => {
    workspace = makeWorkspace();
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    workspace.remove();
  });

  it('executes it once, and every call has the result under its own id', async () => {
    const sent = await epistle(
      workspace.root,
      ['send', '--to', 'ada@agents.localhost', '--from', 'mia@member.example', '--wait=180'],
      '/list_files {}\n/list_files {"path":""}\n/list_files {}\n/list_files {}\n',
    );
    const [result] = sent.json.results;
    expect(result).toMatchObject({ status: 'done', outcome: 'final' });
    expect(result.reply.text.match(/^list_files: ok/gm)).toHaveLength(4);

    const db = openPersonaDb(workspace.root, 'ada');
    const rows = db.toolEvents(result.run_id);
    const events = db.events(result.run_id);
    db.close();
    const calls = rows.filter(({ event_type }) => event_type === 'tool_call').map((row) => row.tool_call_id);
    const results = rows.filter(({ event_type }) => event_type === 'tool_result');
    expect(results.map((row) => row.tool_call_id).toSorted()).toEqual(calls.toSorted());
    expect(events.filter(({ type }) => type === 'tool_call_intended')).toHaveLength(2);
    const [first, , third, fourth] = calls;
    const sameAs = events.filter(({ type, data }) => type === 'observation' && data.same_as !== undefined);
    expect(sameAs.map(({ data }) => [data.call_id, data.same_as])).toEqual([
      [third, first],
      [fourth, first],
    ]);
    const payloads = results
      .filter((row) => row.tool_call_id !== calls[1])
      .map((row) => JSON.parse(row.payload_json) as { result: unknown; same_as?: string });
    expect(payloads.map((payload) => payload.same_as ?? null).toSorted()).toEqual([first, first, null].toSorted());
    expect(new Set(payloads.map((payload) => JSON.stringify(payload.result))).size).toBe(1);
  });
});
