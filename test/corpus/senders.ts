import { type CorpusCase, corpusCase, type Expected } from './build.ts';

const from = (name: string, value: string, expect: Omit<Expected, 'outcome'>): CorpusCase =>
  corpusCase(`from-${name}`, { headers: [['From', value]] }, { outcome: 'ok', ...expect });

export const senderCases: readonly CorpusCase[] = [
  from('bare', 'sender@example.com', { from: 'one', address: 'sender@example.com' }),
  from('upper-case-domain', 'Sender <Sender@EXAMPLE.com>', { from: 'one', address: 'Sender@example.com' }),
  from('comma-in-quotes', '"Sender, A." <sender@example.com>', { from: 'one', address: 'sender@example.com' }),
  from('address-as-name', '"owner@example.org" <sender@example.com>', { from: 'one', address: 'sender@example.com' }),
  from('same-address-twice', 'sender@example.com <sender@example.com>', { from: 'one', address: 'sender@example.com' }),
  from('other-address-unquoted', 'owner@example.org <sender@example.com>', { from: 'ambiguous' }),
  from('comment', 'sender@example.com (A (nested) Sender)', { from: 'one', address: 'sender@example.com' }),
  from('comment-inside', 'sender(x)@example.com', { from: 'ambiguous' }),
  from('comment-unclosed', 'sender@example.com (oops', { from: 'ambiguous' }),
  from('encoded-name', '=?utf-8?Q?J=C3=BCrgen?= <sender@example.com>', { from: 'one', address: 'sender@example.com' }),
  from('encoded-address-in-name', '=?utf-8?Q?owner=40example=2Eorg?= <sender@example.com>', {
    from: 'one',
    address: 'sender@example.com',
  }),
  from('encoded-address', '<=?utf-8?Q?owner=40example=2Eorg?=>', { from: 'ambiguous' }),
  from('encoded-bare', '=?utf-8?Q?owner=40example=2Eorg?=', { from: 'ambiguous' }),
  from('two-mailboxes', 'a@example.com, b@example.com', { from: 'ambiguous' }),
  from('two-angles', '<a@example.com> <b@example.com>', { from: 'ambiguous' }),
  from('group', 'Team: a@example.com;', { from: 'ambiguous' }),
  from('group-empty', 'undisclosed:;', { from: 'ambiguous' }),
  from('route', '<@relay.test,@x.test:sender@example.com>', { from: 'one', address: 'sender@example.com' }),
  from('text-after-angle', 'Sender <sender@example.com> owner@example.org', { from: 'ambiguous' }),
  from('quoted-local', '"a b"@example.com', { from: 'one', address: '"a b"@example.com' }),
  from('quoted-local-with-at', '"owner@example.org,"@example.com', {
    from: 'one',
    address: '"owner@example.org,"@example.com',
  }),
  from('literal', 'sender@[192.0.2.1]', { from: 'ambiguous' }),
  from('no-at', 'Sender', { from: 'ambiguous' }),
  from('two-ats', 'a@b@example.com', { from: 'ambiguous' }),
  from('punycode', 'a@xn--bcher-kva.example', { from: 'one', address: 'a@xn--bcher-kva.example' }),
  from('unicode-domain', 'a@bücher.example', { from: 'one', address: 'a@xn--bcher-kva.example' }),
  // In letters that only become those of a name: who asks DNS for it may ask for another.
  from('unicode-dot', 'a@example。com', { from: 'ambiguous' }),
  from('unclosed-quote', '"Sender <sender@example.com>', { from: 'ambiguous' }),
  from('unclosed-angle', 'Sender <sender@example.com', { from: 'ambiguous' }),
  from('100000-brackets', '<'.repeat(100_000), { from: 'ambiguous' }),
  from('100000-parentheses', '('.repeat(100_000), { from: 'ambiguous' }),
  corpusCase('from-missing', { headers: [['From', '']] }, { outcome: 'ok', from: 'missing' }),
  corpusCase(
    'from-twice',
    {
      headers: [
        ['From', 'sender@example.com'],
        ['From', 'owner@example.org'],
      ],
    },
    { outcome: 'ok', from: 'ambiguous' },
  ),
  corpusCase(
    'from-twice-the-same',
    {
      headers: [
        ['From', 'sender@example.com'],
        ['from', 'sender@example.com'],
      ],
    },
    { outcome: 'ok', from: 'ambiguous' },
  ),
  corpusCase(
    'from-blank-before-colon',
    {
      headers: [
        ['From', 'sender@example.com'],
        ['From ', 'owner@example.org'],
      ],
    },
    { outcome: 'ok', from: 'ambiguous' },
  ),
  corpusCase(
    'from-behind-bare-cr',
    { headers: [['Subject', 'x\rFrom: owner@example.org']] },
    { outcome: 'ok', from: 'ambiguous' },
  ),
  corpusCase(
    'from-after-500-headers',
    {
      headers: [
        ['From', 'sender@example.com'],
        ...Array.from({ length: 600 }, (_, n) => [`X-${n}`, 'y'] as const),
        ['From', 'owner@example.org'],
      ],
    },
    { outcome: 'ok', from: 'ambiguous' },
  ),
  corpusCase(
    'subject-injects-bcc',
    { headers: [['Subject', '=?utf-8?Q?Hi=0D=0ABcc=3A_victim=40example=2Eorg?=']] },
    { outcome: 'ok', mail: { subject: 'Hi Bcc: victim@example.org' } },
  ),
  corpusCase(
    'subject-of-controls',
    { headers: [['Subject', '=?utf-8?B?AAECAwQ=?=x=?utf-8?Q?=1B[31m?=']] },
    { outcome: 'ok', mail: { subject: 'x [31m' } },
  ),
  corpusCase('message-id-missing', { headers: [['Message-ID', '']] }, { outcome: 'ok' }),
  corpusCase(
    'message-id-bare',
    { headers: [['Message-ID', 'bare@example.com']] },
    { outcome: 'ok', mail: { messageId: '<bare@example.com>' } },
  ),
  corpusCase(
    'references-glued',
    { headers: [['References', '<a@x><b@x>,<c@x> garbage <d e@x> <b@x>']] },
    { outcome: 'ok', mail: { references: ['<a@x>', '<b@x>', '<c@x>'] } },
  ),
  corpusCase(
    'references-bomb',
    { headers: [['References', Array.from({ length: 20_000 }, (_, n) => `<${n}@x>`).join(' ')]] },
    { outcome: 'ok' },
  ),
  corpusCase(
    'date-garbage',
    { headers: [['Date', 'garbage 5']] },
    { outcome: 'ok', mail: { date: null, dateHeader: 'garbage 5' } },
  ),
  corpusCase('date-missing', { headers: [['Date', '']] }, { outcome: 'ok', mail: { date: null, dateHeader: '' } }),
  corpusCase(
    'date-with-comment',
    { headers: [['Date', 'Mon, 2 Mar 2026 10:00:00 +0100 (CET)']] },
    { outcome: 'ok', mail: { date: Date.UTC(2026, 2, 2, 9) } },
  ),
  corpusCase(
    'date-far-future',
    { headers: [['Date', 'Mon, 2 Mar 9999 10:00:00 +0000']] },
    { outcome: 'ok', mail: { date: null } },
  ),
  corpusCase(
    'reply-to-elsewhere',
    { headers: [['Reply-To', 'Owner <owner@example.org>']] },
    {
      outcome: 'ok',
      from: 'one',
      address: 'sender@example.com',
      mail: { replyTo: [{ name: 'Owner', address: 'owner@example.org' }] },
    },
  ),
];
