import { describe, expect, it } from 'vitest';
import { createCircuit } from '../../../engine/intake/rules/loops.ts';
import { makeRig } from '../harness/rig.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

describe('the count of what a gateway answers', () => {
  it('holds for an hour, minute by minute, and forgets what is older', () => {
    const circuit = createCircuit();
    for (let minute = 0; minute < 90; minute += 1) circuit.count(NOON + minute * MINUTE);
    expect(circuit.answers(NOON + 89 * MINUTE)).toBe(60);
    expect(circuit.answers(NOON + 120 * MINUTE)).toBe(29);
    expect(circuit.answers(NOON + 24 * 60 * MINUTE)).toBe(0);
  });

  it('adds up within a minute', () => {
    const circuit = createCircuit();
    for (let second = 0; second < 60; second += 1) circuit.count(NOON + second * 1000);
    expect(circuit.answers(NOON + MINUTE)).toBe(60);
  });
});

describe('mail that changes its sender and its thread every time', () => {
  it('is answered a hundred times as often as one sender would be, then only recorded', async () => {
    const rig = await makeRig({
      models: () => ({ text: 'hi' }),
      security: { loop_guard: { max_replies_per_sender_per_hour: 1 } },
    });
    try {
      const decisions: string[] = [];
      for (let n = 0; n < 102; n += 1) {
        const { decision, code } = await rig.deliver({ from: `n${n}@member.example`, tier: 'member', text: 'hello' });
        decisions.push(code ?? decision);
      }
      expect(decisions.slice(0, 100)).toEqual(Array(100).fill('accepted'));
      expect(decisions.slice(100)).toEqual(['loop_limit', 'loop_limit']);
      const owner = { from: 'owner@example.com', tier: 'owner' as const, text: 'hello' };
      expect((await rig.deliver(owner)).decision).toBe('accepted');
    } finally {
      await rig.close();
    }
  });
});
