import { describe, expect, it } from 'vitest';
import { readToolsAnswer } from '../../../engine/intake/answers/read-tools.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const tools = {
  notice_id: 'n',
  persona_id: 'ada',
  server: 'wiki',
  offer: '[]',
  offer_sha256: 'h',
  asked_at: 0,
  until: NOON + 1,
  verdict: null,
  decided_by: null,
  decided_at: null,
  answer_id: null,
};
const read = (typed: string, doubt: string | null = null, change: object = {}) => {
  const said = { typed, language: null, doubt: doubt === null ? null : ({ why: 'beside', detail: doubt } as const) };
  const found = readToolsAnswer({ tools: { ...tools, ...change } }, { said, now: NOON });
  return found?.action.kind === 'tools' ? found.action.said : found;
};

describe('what an owner says below a mail about tools', () => {
  it.each(['yes', 'Ja.', 'approve', '👍', 'OK, thanks', 'はい'])('is a yes: %s', (typed) => {
    expect(read(typed)).toEqual({ kind: 'decide', allow: true });
  });

  it.each(['no', 'Nein danke', 'deny', 'no, that is not what it is for'])('is a no: %s', (typed) => {
    expect(read(typed)).toEqual({ kind: 'decide', allow: false });
  });

  it.each(['yes, but not add_page', 'maybe', 'what does it do?', 'edit 1\ndescription: x', ''])(
    'is asked back about: %s',
    (typed) => {
      expect(read(typed)).toMatchObject({ kind: 'unclear' });
    },
  );

  it('is asked back about where something beside a yes may change it; a no needs no more', () => {
    expect(read('yes', 'not the second one')).toMatchObject({ kind: 'unclear', detail: 'not the second one' });
    expect(read('no', 'not the second one')).toEqual({ kind: 'decide', allow: false });
  });

  it('is late when it is decided or its time is over, and anything else is mail like any other', () => {
    expect(read('yes', null, { verdict: 'leave' })).toEqual({ kind: 'late' });
    expect(read('yes', null, { until: NOON })).toEqual({ kind: 'late' });
    expect(read('How is the weather?', null, { verdict: 'allow' })).toBeNull();
    expect(
      readToolsAnswer({ tools: null }, { said: { typed: 'yes', language: null, doubt: null }, now: NOON }),
    ).toBeNull();
  });
});
