import { describe, expect, it } from 'vitest';
import { parseAddressList, readFrom } from '../../../../engine/mail/mime/address.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';
import { computedMs } from '../../../computed.ts';

const fromOf = (...values: readonly string[]) =>
  readFrom(readHeaders(Buffer.from(`${values.map((value) => `From: ${value}\r\n`).join('')}\r\n`)));

/** Address, a bar, the name; or why nobody is named. */
const senderIn = (...values: readonly string[]): string => {
  const from = fromOf(...values);
  return from.kind === 'one' ? `${from.mailbox.address}|${from.mailbox.name}` : from.kind;
};

const BOSS = 'boss@owner.test';
const MIA = 'mia@shop.test';

describe('a From as people’s programs write it', () => {
  it.each([
    // A name with a comma that nobody quoted.
    ['Berg, Mia <mia@shop.test>', 'Berg, Mia'],
    ['Berg, Mia (Sales), Shop Ltd. <mia@shop.test>', 'Berg, Mia, Shop Ltd.'],
    ['=?utf-8?Q?J=C3=A4ger?=, Mia <mia@shop.test>', 'Jäger, Mia'],
    ['Berg; Mia <mia@shop.test>', 'Berg Mia'],
    ['Mia Berg <mia@shop.test>, Shop', 'Mia Berg, Shop'],
    ['Mia Berg <mia@shop.test>,', 'Mia Berg'],
    ['Mia Berg <mia@shop.test>;', 'Mia Berg'],
    // The address once more, as a name.
    ["'mia@shop.test' <mia@shop.test>", 'mia@shop.test'],
    ["'Mia Berg' <mia@shop.test>", 'Mia Berg'],
    ["'Mia Berg <mia@shop.test>'", 'Mia Berg'],
    ["'mia@shop.test'", ''],
    ['“mia@shop.test” <mia@shop.test>', 'mia@shop.test'],
    ['[mia@shop.test] <mia@shop.test>', 'mia@shop.test'],
    ['MIA@SHOP.TEST <mia@shop.test>', 'MIA@SHOP.TEST'],
    ['=?utf-8?Q?mia@shop.test?= <mia@shop.test>', 'mia@shop.test'],
    ['=?utf-8?B?bWlhQHNob3AudGVzdA==?= <mia@shop.test>', 'mia@shop.test'],
    ['Mia mia@shop.test <mia@shop.test>', 'Mia'],
    ['Mia <mia@shop.test> <mia@shop.test>', 'Mia'],
    // Brackets and quotation marks too many.
    ['Mia <<mia@shop.test>>', 'Mia'],
    ['<<mia@shop.test>>', ''],
    ['Mia <mia@shop.test>>', 'Mia'],
    ['< mia@shop.test >', ''],
    ['"Mia <mia@shop.test>"', 'Mia'],
    ['"Berg, Mia <mia@shop.test>"', 'Berg, Mia'],
    ['"mia@shop.test"', ''],
    ['Mia <"mia@shop.test">', 'Mia'],
    ["Mia <'mia@shop.test'>", 'Mia'],
    // Routes, links, comments, words behind.
    ['Mia <@hub.test:mia@shop.test>', 'Mia'],
    ['Mia <@hub.test,@relay.hub.test:mia@shop.test>', 'Mia'],
    ['Mia <mailto:mia@shop.test>', 'Mia'],
    ['mailto:mia@shop.test', ''],
    ['Mia [mailto:mia@shop.test] <mia@shop.test>', 'Mia'],
    ['mia@shop.test (Mia Berg)', 'Mia Berg'],
    ['mia@shop.test (=?utf-8?Q?Mia_J=C3=A4ger?=)', 'Mia Jäger'],
    ['(Mia Berg) mia@shop.test', 'Mia Berg'],
    ['Mia (the first) <mia@shop.test>', 'Mia'],
    ['<mia@shop.test> (Mia Berg)', 'Mia Berg'],
    ['Mia <mia@shop.test (work)>', 'Mia'],
    ['<mia@shop.test> Mia Berg', 'Mia Berg'],
    ['Mia <mia@shop.test> (at work) Berg', 'Mia Berg'],
    ['Mia :) <mia@shop.test>', 'Mia:)'],
    ['Sales: Mia Berg <mia@shop.test>', 'Sales: Mia Berg'],
    ['Mia <smtp:mia@shop.test>', 'Mia'],
    // What was read before.
    ['mia@shop.test', ''],
    ['"Berg, Mia" <mia@shop.test>', 'Berg, Mia'],
    ['mia@shop.test <mia@shop.test>', 'mia@shop.test'],
  ])('%s is from Mia', (value, name) => {
    expect(senderIn(value)).toBe(`${MIA}|${name}`);
  });

  it.each([
    ['m..berg@docomo.example', 'm..berg@docomo.example'],
    ['Mia <m.berg.@docomo.example>', 'm.berg.@docomo.example'],
    ['"m..berg."@docomo.example', 'm..berg.@docomo.example'],
    ['"mia"@shop.test', MIA],
    ['Mia <"mia"@shop.test>', MIA],
    ['"mia berg"@shop.test', '"mia berg"@shop.test'],
    ['"mia@x"@shop.test', '"mia@x"@shop.test'],
    ['Mia <mia@bücher.test>', 'mia@xn--bcher-kva.test'],
  ])('%s is from %s', (value, address) => {
    expect(senderIn(value).split('|')[0]).toBe(address);
  });
});

describe('a From in which somebody else stands', () => {
  it.each([
    // Inside of quotes, comments and encoded names: what everybody reads as a name.
    `"${BOSS}" <${MIA}>`,
    `"Boss <${BOSS}>" <${MIA}>`,
    `"${BOSS}, " <${MIA}>`,
    `=?utf-8?Q?boss=40owner.test?= <${MIA}>`,
    `=?utf-8?Q?Boss_=3Cboss=40owner.test=3E?= <${MIA}>`,
    `Boss (<${BOSS}>) <${MIA}>`,
    `(${BOSS}) <${MIA}>`,
    `boss＠owner.test <${MIA}>`,
  ])('is from the one whose address it is: %s', (value) => {
    expect(senderIn(value).split('|')[0]).toBe(MIA);
  });

  it.each([
    `${BOSS} <${MIA}>`,
    `'${BOSS}' <${MIA}>`,
    `[${BOSS}] <${MIA}>`,
    `Boss [mailto:${BOSS}] <${MIA}>`,
    `mailto:${BOSS} <${MIA}>`,
    `<${BOSS}> <${MIA}>`,
    `<${BOSS} <${MIA}>>`,
    `<<${BOSS}> <${MIA}>>`,
    `<<<${MIA}>>>`,
    `Boss, ${BOSS} <${MIA}>`,
    `${BOSS}, Mia <${MIA}>`,
    `"${BOSS}", Mia <${MIA}>`,
    `=?utf-8?Q?boss=40owner.test?=, Mia <${MIA}>`,
    `=?utf-8?Q?boss@owner.test?= <${MIA}>`,
    `Mia <${MIA}> ${BOSS}`,
    `Mia <${MIA}>; ${BOSS}`,
    `"Boss <${BOSS}>, Mia <${MIA}>"`,
    `"${BOSS} <${MIA}>"`,
    `${BOSS} (<${MIA}>)`,
    `<${BOSS} (${MIA})>`,
    `"${BOSS}" (<${MIA}>)`,
    `(${MIA}) "${BOSS}"`,
    `"Boss <${BOSS}>" (Mia)`,
    `mia @ owner.test <${BOSS}>`,
    `mia@ <${BOSS}>`,
    `"mia"@owner.test <${BOSS}>`,
    // Words before a bare address: some readers take them for a part of it.
    `mia ${BOSS}`,
    `mia. ${BOSS}`,
    `"mia" ${BOSS}`,
    `${BOSS} mia`,
    `"boss" @owner.test`,
    `boss @owner.test`,
    'boss(x)@owner.test',
    '<boss(x)@owner.test>',
    `=?utf-8?Q?boss=40owner.test?=`,
    `<=?utf-8?Q?boss=40owner.test?=>`,
    `"=?utf-8?Q?boss=40owner.test?="`,
    // Groups, also those with one member or none.
    `Board: ${BOSS};`,
    `Board: ${BOSS}`,
    `Board: Boss <${BOSS}>;`,
    `Board: Mia, Boss <${BOSS}>;`,
    `"${MIA}": Boss <${BOSS}>`,
    `=?utf-8?Q?mia=40shop.test?=: Boss <${BOSS}>`,
    `Board (${MIA}): Boss <${BOSS}>`,
    `Board:;, <${MIA}>`,
    // A route that is none.
    `<${MIA}:${BOSS}>`,
    `<mia@shop.test,@hub.test:${BOSS}>`,
    `<hub.test:${BOSS}>`,
    // Not closed.
    `"Boss <${BOSS}>`,
    `${BOSS} (Boss`,
    `Boss) ${BOSS}`,
    `${MIA}) <${BOSS}>`,
    `(Boss)) ${MIA} <${BOSS}>`,
    `Boss <${BOSS}`,
    // No address.
    'Boss',
    'Boss <>',
    `<> ${BOSS}`,
    `<Boss> ${BOSS}`,
    `boss@owner.test@shop.test`,
    'boss＠owner.test',
    'boss@[192.0.2.1]',
  ])('names nobody: %s', (value) => {
    expect(senderIn(value)).toBe('ambiguous');
  });

  it.each([
    ['boss\0@owner.test'],
    [`${BOSS}\0 <${MIA}>`],
    [`${BOSS}\0${MIA}`],
    [`Mia <${MIA}>\r\nFrom: ${BOSS}`],
    [`Mia <${MIA}>\rFrom: ${BOSS}`],
    [`\r\n ${BOSS}\r\n <${MIA}>`],
  ])('names nobody, with a control character or a second header: %j', (value) => {
    expect(senderIn(value)).toBe('ambiguous');
  });

  it('is not from somebody whose letters only look like his', () => {
    expect(senderIn('Boss <bоss@owner.test>')).toBe('bоss@owner.test|Boss');
    expect(senderIn('Boss <boss@оwner.test>')).toBe('boss@xn--wner-45d.test|Boss');
    expect(senderIn('boss@owner.test <bosſ@owner.test>')).toBe('ambiguous');
    // An apostrophe may be the first letter of an address; without a second one it is.
    expect(senderIn("'boss@owner.test")).toBe("'boss@owner.test|");
  });
});

describe('a list of addresses', () => {
  it('has whoever a From of the same words would have', () => {
    const list = `Berg, Mia <${MIA}>, <<b@x.test>>, 'c@x.test' <c@x.test>, d@x.test (Dora), Team: e@x.test, f@x.test;, nobody`;
    expect(parseAddressList(list).map(({ address, name }) => ({ address, name }))).toEqual([
      { address: MIA, name: 'Mia' },
      { address: 'b@x.test', name: '' },
      { address: 'c@x.test', name: 'c@x.test' },
      { address: 'd@x.test', name: 'Dora' },
      { address: 'e@x.test', name: '' },
      { address: 'f@x.test', name: '' },
    ]);
  });

  it('takes time by its length, however its signs are nested', () => {
    const before = computedMs();
    for (const sign of ['<', '(', '"', "'", '<<>', '[mailto:', '@', ',', ':', '(<', '<"', '=?utf-8?q?']) {
      fromOf(sign.repeat(60_000 / sign.length), sign.repeat(10));
      fromOf(sign.repeat(60_000 / sign.length));
      parseAddressList(`${sign.repeat(60_000 / sign.length)}<a@b.test>`);
    }
    expect(computedMs() - before).toBeLessThan(4000);
  });
});

describe('a list of recipients', () => {
  const ADA = 'ada@agents.test';
  const EVE = 'eve@evil.test';
  const sureIn = (value: string) =>
    parseAddressList(value).flatMap(({ address, isUnsure }) => (isUnsure ? [] : [address]));

  it.each([
    [`=?utf-8?Q?x,${ADA},x?= <${EVE}>`],
    [`=?utf-8?Q?=C3=A9,${ADA},x?= <${EVE}>`],
    [`=?utf-8?Q?x;${ADA};x?= <${EVE}>`],
    [`=?utf-8*en?q?x,<${ADA}>,x?= <${EVE}>`],
    [`x =?utf-8?B?eCw=?= =?utf-8?Q?,${ADA},?= <${EVE}>`],
  ])('is not parted within an encoded word: %s', (value) => {
    expect(parseAddressList(value).map(({ address }) => address)).toEqual([EVE]);
  });

  it.each([
    [`é: ${ADA}; <${EVE}>`],
    [`x: ${ADA}, y@z.test;, <${EVE}>`],
    [`=?utf-8?Q?x, ${ADA}, x?= <${EVE}>`],
    [`=?utf-8?Q?x ,${ADA}, ?x?= <${EVE}>`],
    [`x=?utf-8?Q?x,${ADA},x?= <${EVE}>`],
    [`"=?utf-8?Q?x",${ADA},"x?=" <${EVE}>`],
    [`=?utf-8?Q?x,${ADA}, <${EVE}>`],
    [`x, ${ADA}, y <${EVE}>, "z`],
    [`x, ${ADA}, y <${EVE}>`],
    [`"${EVE}" <${ADA}>`],
    [`=?utf-8?Q?eve=40evil.test?= <${ADA}>`],
    [`=?utf-8?Q?Eve_=3Ceve=40evil.test=3E=2C?= <${ADA}>`],
    [`${ADA} (${EVE})`],
    [`Ada <${ADA}> <${EVE}>`],
    [`Ada <@evil.test:${ADA}>`],
  ])('names nobody for sure who another reader could take for somebody else: %s', (value) => {
    expect(sureIn(value)).not.toContain(ADA);
  });

  it.each([
    [ADA, [ADA]],
    [`Ada <${ADA}>, "Berg, Mia" <${MIA}>`, [ADA, MIA]],
    [`=?utf-8?Q?J=C3=A4ger=2C_Ada?= <${ADA}>, =?utf-8?Q?J=C3=A4ger=3A?= <${MIA}>`, [ADA, MIA]],
    [`"=?utf-8?B?SsOkZ2Vy?=" <${ADA}>`, [ADA]],
    [`Berg, Ada <${ADA}>`, [ADA]],
    [`Ada :) <${ADA}>`, [ADA]],
    [`${ADA} <${ADA}>`, [ADA]],
    [`'${ADA}' <${ADA}>, ${MIA} (Mia: at work)`, [ADA, MIA]],
    [`"${ADA}" <${ADA}>`, [ADA]],
    [`${ADA}; ${MIA}`, [ADA, MIA]],
    [`"${MIA}" <${EVE}>, Ada <${ADA}>`, [ADA]],
    [`<mailto:${ADA}>`, [ADA]],
    ['Ada <ada@bücher.test>', ['ada@xn--bcher-kva.test']],
    ['undisclosed-recipients:;', []],
  ] as const)('names those whom every reader finds: %s', (value, expected) => {
    expect(sureIn(value)).toEqual(expected);
  });

  it.each(['=?utf-8?Q?a,b@c.test,?=,', '=?a?q?', 'x,a@b.test,', '@', 'a@', '"=?a?q?x",'])(
    'of thousands of %s is read in one pass',
    (piece) => {
      const begun = computedMs();
      parseAddressList(piece.repeat(65_000 / piece.length));
      expect(computedMs() - begun).toBeLessThan(500);
    },
  );
});
