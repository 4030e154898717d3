import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

describe('a run that ends over calls it never made', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  beforeAll(async () => {
    workspace = makeWorkspace();
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.kill();
    workspace.remove();
  });

  it('says so in its answer and leaves no call without a result', async () => {
    const sent = await epistle(
      workspace.root,
      ['send', '--to', 'ada@agents.localhost', '--from', 'mia@member.example', '--wait=10'],
      '/list_files {}\n/list_files {}\n/list_files {}\n',
    );
    const [result] = sent.json.results;
    expect(result).toMatchObject({ status: 'done', outcome: 'partial' });
    expect(result.reply.text).toContain('Not done: list_files (skipped).');

    const database = new SQLite(join(workspace.root, 'data/personas/ada/persona.db'), { readonly: true });
    const rows = database.prepare('select event_type from thread_tool_events order by step_index').pluck().all();
    database.close();
    expect(rows.filter((type) => type === 'tool_call')).toHaveLength(3);
    expect(rows.filter((type) => type === 'tool_result')).toHaveLength(3);
  });
});
