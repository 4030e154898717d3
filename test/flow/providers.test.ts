import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../fakes/model-script.ts';
import { type Gateway, startGateway, submit } from './gateway.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';
import { SCENARIOS } from './provider-scenarios.ts';
import { type Trace, traceOf } from './provider-trace.ts';
import { environment, type Models, startModels, WAYS, workspaceFiles } from './provider-ways.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

/** Stands in the subject, so that a model server knows which of its conversations a request belongs to. */
const markOf = (persona: string, scenario: number) => `${persona} #${scenario}#`;

/** Answers by what the mail's subject says, each time with the next turn of that conversation. */
function scripted(): Script {
  const asked = new Map<string, number>();
  return ({ raw }) => {
    // Not of the last user message alone: that may be the gateway's note about an answer.
    const [mark = '', number] = /[\w-]+ #(\d+)#/.exec(raw.toString('utf8')) ?? [];
    const turn = asked.get(mark) ?? 0;
    asked.set(mark, turn + 1);
    const next = SCENARIOS[Number(number)]?.turns[turn] ?? { status: 400, message: `no turn ${turn} for ${mark}` };
    // A model server remembers what it signed by the words; two personas must not think the same.
    const thinking = next.thinking === undefined ? {} : { thinking: `${mark}: ${next.thinking}` };
    // Bodies of vendors differ in length, and so would what is counted of them.
    return { ...next, ...thinking, usage: { input: 2000, ...next.usage } };
  };
}

let models: Models;
let workspace: TestWorkspace;
let gateway: Gateway;
const traces = new Map<string, Trace>();

beforeAll(async () => {
  models = await startModels(scripted);
  workspace = makeWorkspace({
    ...workspaceFiles(models),
    'configs/security.json': { owners: ['owner@example.com'], tool_policy: { tools: { search_mail: 'deny' } } },
  });
  gateway = await startGateway(workspace.root, environment());
  // Every mail at once: what waits for a vendor waits beside the others.
  await Promise.all(
    WAYS.map(async ({ persona }) => {
      const sent: string[] = [];
      for (const number of SCENARIOS.keys()) {
        const id = `<${number}.${persona}@member.example>`;
        await submit(workspace.root, gateway.ready, {
          from: 'mia@member.example',
          to: `${persona}@agents.localhost`,
          subject: markOf(persona, number),
          text: `Please do what is asked in number ${number}.`,
          messageId: id,
        });
        sent.push(id);
      }
      await runsEnded(workspace.root, persona, SCENARIOS.length, 90_000);
      const db = openPersonaDb(workspace.root, persona);
      for (const [number, id] of sent.entries()) {
        const run = db.runOf(id);
        if (run) traces.set(markOf(persona, number), traceOf(db, run));
      }
      db.close();
    }),
  );
});

afterAll(async () => {
  await gateway?.end();
  await models?.stop();
  workspace?.remove();
});

describe.each(WAYS)('mail answered through $persona', ({ persona }) => {
  it.each(SCENARIOS.map((scenario, number) => ({ ...scenario, number })))(
    'comes to the same end after $name',
    (one) => {
      const trace = traces.get(markOf(persona, one.number));
      const ended = trace?.events.filter(({ type }) => type === 'observation').map(({ data }) => data);
      expect(trace).toBeDefined();
      expect(reasonsOf(trace)).toEqual(one.decisions);
      expect(ended?.map((seen) => callOf(seen))).toEqual(one.calls);
      expect([trace?.run.outcome, trace?.run.code].filter(Boolean).join(' ')).toBe(one.outcome);
      expect(trace?.text).toContain(one.text);
      // Word for word what every other vendor's conversation was.
      expect(trace).toEqual(traces.get(markOf('openai', one.number)));
    },
  );
});

const reasonsOf = (trace: Trace | undefined) =>
  trace?.events
    .filter(({ type }) => type === 'decision')
    .map(({ data }) => (typeof data === 'object' && data !== null && 'reason' in data ? data.reason : data));

const callOf = (seen: unknown) =>
  typeof seen === 'object' && seen !== null && 'tool' in seen && 'code' in seen
    ? `${seen.tool} ${seen.code ?? 'ok'}`
    : seen;
