import { expect, it } from 'vitest';
import { shownJson, shownText } from '../../../../engine/config/writing/shown-value.ts';

it.each([
  ['a value below headers, as itself', ['mcp', 'srv', 'headers', 'X-Auth'], 'abc123'],
  [
    'a calendar that whoever has its address reads',
    ['calendar', 'urls'],
    ['https://cal.example.com/private-1f2e/basic.ics'],
  ],
])('shows nothing of %s', (_, path, value) => {
  expect(shownJson(value, path)).not.toMatch(/abc123|1f2e/);
});

it('shows of an address no parameter that is secret', () => {
  expect(shownText('https://tools.example.com/mcp?api_key=abc123', ['url'])).toBe(
    'https://tools.example.com/mcp?api_key=(not shown)',
  );
});

it('shows the name of a variable', () => {
  expect(shownJson('SERVER_KEY', ['mcp', 'srv', 'headers', 'X-Auth'])).toBe('"SERVER_KEY"');
});
