import { describe, expect, it } from 'vitest';
import { isNewer, newestIn } from '../../../engine/service/newest-version.ts';

describe('what the registry says', () => {
  it.each([
    ['{"version":"1.2.3","bin":{"epistle":"bin/epistle.js"}}', { state: 'found', version: '1.2.3' }],
    ['{"version":"1.2.3","bin":{"epistle":"cli.js"}}', { state: 'another' }],
    ['{"version":"1.2.3"}', { state: 'another' }],
    ['{"error":{"code":"E404","summary":"Not Found"}}', { state: 'absent' }],
    ['{"error":{"code":"ENOTFOUND","summary":"…"}}', { state: 'unreachable', code: 'ENOTFOUND' }],
    ['{"error":{"code":null,"summary":null}}', { state: 'unreachable', code: 'no answer' }],
    ['<html>', { state: 'unreachable', code: 'no answer' }],
    ['', { state: 'unreachable', code: 'no answer' }],
  ])('of %s', (answer, meaning) => expect(newestIn(answer, 'epistle')).toEqual(meaning));

  it.each([
    ['0.2.0', '0.1.9', true],
    ['0.10.0', '0.9.0', true],
    ['1.0.0', '1.0.0', false],
    ['0.9.9', '1.0.0', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0-rc.10', '1.0.0-rc.9', true],
    ['1.0.0-rc.1', '1.0.0', false],
    ['1.0.0+build', '1.0.0', false],
  ])('is %s newer than %s: %s', (one, other, newer) => expect(isNewer(one, other)).toBe(newer));
});
