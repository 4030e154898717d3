import { describe, expect, it } from 'vitest';
import { onlyAsks } from '../../../../engine/harness/loop/clarification.ts';

const nothingDone = { anySucceeded: false, anyChanged: false };
const looked = { anySucceeded: true, anyChanged: false };
const changed = { anySucceeded: true, anyChanged: true };

describe('an answer that only asks', () => {
  it.each([
    'Which invoice do you mean?',
    'Do you mean March or April? And which year?',
    'Hello Mia,\n\nwhich of the two reports do you mean,\nthe long one or the short one?\n\nBest regards\nAda',
    'Which one?\n\n- the March invoice\n- the April invoice',
    'Which one?\n1. the March invoice\n2) the April invoice',
    'Welche Rechnung meinen Sie?\n\nViele Grüße\nAda',
    'どちらの請求書ですか？',
    'أي فاتورة تقصد؟',
    '¿Qué factura quiere decir?',
    'Is it the one "from March?"',
  ])('is one whatever the run has looked at: %j', (text) => {
    expect(onlyAsks(text, nothingDone)).toBe(true);
    expect(onlyAsks(text, looked)).toBe(true);
  });

  it('may begin with one short sentence where nothing was found yet', () => {
    expect(onlyAsks('I can help with that. Which month do you mean, March or April?', nothingDone)).toBe(true);
    expect(onlyAsks('I found it in March. Which month do you mean, March or April?', looked)).toBe(false);
  });

  it('is none when the run has changed something', () => {
    expect(onlyAsks('Which invoice do you mean?', changed)).toBe(false);
  });
});

describe('an answer that says something', () => {
  it.each([
    'The invoice is attached.',
    'Done. I sent it to Carl. Anything else?',
    'Yes, the meeting room is free at ten tomorrow. Shall I book it?',
    'Which invoice? I took the one from March.',
    'You asked: "which one?" It is the second.',
    '',
    '?',
    `${'It is so. '.repeat(20)}Is it clear?`,
    `${'Why? '.repeat(400)}`,
  ])('is an answer, also with a question in it: %j', (text) => {
    expect(onlyAsks(text, nothingDone)).toBe(false);
  });
});
