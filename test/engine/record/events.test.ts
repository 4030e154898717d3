import { describe, expect, it } from 'vitest';
import {
  decodeEvent,
  encodeEvent,
  MAX_PAYLOAD_CHARS,
  UnreadableEvent,
} from '../../../engine/record/codec/run-events.ts';
import { type EventType, RUN_EVENT_TYPES } from '../../../engine/record/events.ts';
import { foldEvents } from '../../../engine/record/fold.ts';
import { logOf, readLog, turnsOf } from '../../../engine/record/run-log.ts';
import type { StoredEvent } from '../../../engine/storage/types/runs.ts';
import { sourcesIn } from '../../house/sources.ts';

/** Artifacts in memory, by a running number. */
function memory() {
  const kept: Buffer[] = [];
  return {
    kept,
    put: (bytes: Uint8Array) => String(kept.push(Buffer.from(bytes)) - 1),
    getSync: (hash: string): Uint8Array => kept[Number(hash)] ?? Buffer.from(''),
  };
}

const row = (type: EventType, payload: unknown, seq = 0): StoredEvent => ({
  run_id: 'r',
  seq,
  type,
  v: 1,
  payload_json: JSON.stringify(payload),
  at: 1,
  fence: 1,
});
const rows = (...events: readonly (readonly [EventType, unknown])[]): StoredEvent[] =>
  events.map(([type, payload], seq) => row(type, payload, seq));

/** Calls that are given their type by a name, with where the types that it may have stand. */
const BY_NAME: Readonly<Record<string, RegExp>> = {
  'engine/storage/sqlite/repositories/approvals.ts: type': /\btype: ((?:'\w+'(?: \| )?)+) = '\w+',/,
};

describe('an event', () => {
  it('has a schema, also where storage writes or counts it itself', () => {
    const engine = sourcesIn(['engine'], /\.ts$/);
    const calls = engine.flatMap(({ path, text }) =>
      [...text.matchAll(/\bownEvent\(\s*([^,)]+)/g)].map(([, type = '']) => ({ path, type })),
    );
    const isLiteral = (type: string) => /^'\w+'$/.test(type);
    const others = calls.filter(({ type }) => !isLiteral(type)).map(({ path, type }) => `${path}: ${type}`);
    expect(others).toEqual(Object.keys(BY_NAME));
    const ofOthers = Object.entries(BY_NAME).flatMap(([where, type]) => {
      const [file] = where.split(':');
      return (
        type.exec(engine.find(({ path }) => path === file)?.text ?? '')?.[1]?.match(/\w+/g) ?? [`none in ${where}`]
      );
    });
    expect(ofOthers.length).toBeGreaterThan(1);
    const written = calls.filter(({ type }) => isLiteral(type)).map(({ type }) => type.slice(1, -1));
    const counted = engine.flatMap(({ path, text }) =>
      path.startsWith('engine/storage/') ? (/\bPROGRESS\b[^[]*\[([^\]]*)\]/.exec(text)?.[1]?.match(/\w+/g) ?? []) : [],
    );
    expect([written.length > 10, counted.length > 5]).toEqual([true, true]);
    const all = [...written, ...ofOthers, ...counted];
    expect(all.filter((type) => !RUN_EVENT_TYPES.some((one) => one === type))).toEqual([]);
  });

  it('comes back as it was written', () => {
    const artifacts = memory();
    const payload = { code: 'budget', until: 5, uncounted: true };
    const written = encodeEvent('deferred', payload, artifacts);
    expect(JSON.parse(written.payload_json)).toEqual(payload);
    expect(decodeEvent({ ...row('deferred', null, 7), ...written }, artifacts)).toEqual({
      type: 'deferred',
      v: 1,
      seq: 7,
      at: 1,
      fence: 1,
      data: payload,
    });
  });

  it('keeps what other versions wrote into it, and the order of its fields', () => {
    const stored = { hook: 'h', later: { x: 1 }, event: 'run_ended', ms: 3, again: null };
    const { data } = decodeEvent(row('hook_ended', stored), memory());
    expect(JSON.stringify(data)).toBe(JSON.stringify(stored));
  });

  it('that is too large for its row is found again in its artifact', () => {
    const artifacts = memory();
    const payload = { status: 'done', outcome: 'x'.repeat(MAX_PAYLOAD_CHARS), code: null } as const;
    const written = encodeEvent('run_ended', payload, artifacts);
    expect(JSON.parse(written.payload_json)).toEqual({ artifact: '0' });
    expect(decodeEvent({ ...row('run_ended', null), ...written }, artifacts).data).toEqual(payload);
  });

  it.each([
    ['is none that was ever written', row('permission', { verdict: 'allow' })],
    ['is of a version that is not known', { ...row('deferred', { code: 'budget', until: null }), v: 2 }],
    ['is of a type that is not known', { ...row('deferred', { code: 'budget', until: null }), type: 'toString' }],
  ])('whose payload %s is named', (_what, stored) => {
    expect(() => decodeEvent(stored, memory())).toThrow(UnreadableEvent);
    expect(() => decodeEvent(stored, memory())).toThrow(
      /^event 0 \((permission|deferred|toString)\) of run r cannot be read/,
    );
  });
});

const USAGE = { input: 1, output: 1, cached: 0, cacheWrite: 0 };
const CALL = { id: 'c1', name: 'look', arguments: { at: 'a' } };
const turn = (calls: readonly object[], text = '') => ({
  ok: true,
  provider: 'p',
  model: 'm',
  response: { text, toolCalls: calls, finish: 'tool_calls', usage: USAGE },
  ms: 1,
});

/** As the first versions of the program wrote them: without all that came later. */
const OLD = rows(
  ['run_queued', { tier: 'owner' }],
  ['run_started', { instance: 'i', run_of_day: 3 }],
  [
    'context_built',
    {
      frame: { kind: 'question', certain: true, subject: 's', acts: [], range: null, risk: 'read_only' },
      settings_sha256: 's',
      prefix_sha256: 'p',
      cache_miss: 'first',
      parts: [{ resolver: 'r', slot: 'metadata', chars: 1 }],
      limitations: [],
      history_messages: 0,
      history_omitted: 0,
      tools: [],
      targets: [{ provider: 'p', model: 'm' }],
      tier: 'owner',
    },
  ],
  ['model_call_started', { call: 1, provider: 'p', model: 'm', tool_choice: 'auto', messages: 1 }],
  ['model_call_ended', { ok: false, provider: 'p', model: 'm', ms: 1, code: 'timeout', message: 'x', left: 'retry' }],
  ['model_call_started', { call: 2, provider: 'p', model: 'm' }],
  ['model_call_ended', turn([CALL, { id: 'c2', name: 'write', rawArguments: '{' }])],
  ['permission', { call_id: 'c1', tool: 'look', verdict: 'allow', code: null, risk: 'read', by: 'risk read' }],
  ['permission', { call_id: 'c2', tool: 'write', verdict: 'deny', code: 'policy_denied', risk: 'write', by: 'tool' }],
  ['decision', { step: 1, decision: 'EXECUTE_TOOL', reason: 'allowed' }],
  ['tool_call_intended', { call_id: 'c1', tool: 'look', risk: 'read' }],
  ['tool_call_ended', { call_id: 'c1', tool: 'look', ok: true, code: null, ms: 1 }],
  ['observation', { call_id: 'c1', tool: 'look', ok: true, code: null, content: '{"ok":true}', artifact: null }],
  [
    'approval_requested',
    { items: [{ approval_id: 'a', call_id: 'c2', tool: 'write', risk: 'write', arguments_hash: 'h', expires_at: 1 }] },
  ],
  ['approval_decided', { approval_id: 'a', call_id: 'c2', state: 'rejected', by: 'o@x.example', reason: null }],
  ['deferred', { code: 'provider_unavailable', until: 1 }],
  [
    'observation',
    { call_id: 'c2', tool: 'write', ok: false, code: 'policy_denied', content: '{}', artifact: null, ref: null },
  ],
  ['decision', { step: 1, decision: 'FINAL_PARTIAL', reason: 'provider', claims: [{ text: 'x' }] }],
  ['reply_committed', { outbox_id: 'o', message_id: '<m>', kind: 'reply', outcome: 'partial' }],
  ['run_ended', { status: 'done', outcome: 'partial', code: 'provider' }],
);

describe('a run of an older version', () => {
  it('is read as it stands', () => {
    const log = readLog(OLD, memory());
    expect(log.all.map(({ data }) => JSON.stringify(data))).toEqual(OLD.map(({ payload_json }) => payload_json));
    expect(log.nextSeq).toBe(OLD.length);
    expect(log.last('run_started')?.data.run_of_day).toBe(3);
    expect(log.lastOfCall('permission', 'c2')?.data.by).toBe('tool');
    expect(turnsOf(log).map(({ started, after }) => [started?.data.call, after.of('observation').length])).toEqual([
      [1, 0],
      [2, 2],
    ]);
  });

  it('folds to the state that its loop was in', () => {
    const state = foldEvents(readLog(OLD, memory()));
    expect(state).toMatchObject({
      modelCalls: 1,
      toolCalls: 2,
      toolTurns: 1,
      toolSteps: 1,
      pending: null,
      anySucceeded: true,
      // An owner's no is no failure.
      consecutiveFailures: 0,
      isWaiting: true,
      exposed: { fingerprint: null, names: null },
      budgetSpent: null,
    });
    expect(state.messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(state.outcomes.map(({ tool, ok, made }) => [tool, ok, made?.approval, made?.deniedBy])).toEqual([
      ['look', true, null, null],
      ['write', false, 'a', 'tool'],
    ]);
  });
});

describe('the log of a run', () => {
  it('reads a payload when it is asked for, and once', () => {
    const reads: string[] = [];
    const artifacts = {
      getSync(hash: string) {
        reads.push(hash);
        return Buffer.from(JSON.stringify({ instance: hash }));
      },
    };
    const log = readLog(rows(['run_started', { artifact: 'a' }], ['run_ended', { artifact: 'b' }]), artifacts);
    expect([log.has('run_ended'), log.nextSeq, reads]).toEqual([true, 2, []]);
    expect(log.first('run_started')?.data.instance).toBe('a');
    expect(log.between(0, 1).all).toHaveLength(1);
    expect(reads).toEqual(['a']);
  });

  it('of nothing begins at 0', () => {
    expect([logOf([]).nextSeq, logOf([]).last('decision')]).toEqual([0, undefined]);
  });
});
