import type { Hands } from './hands.ts';
import { OLGA } from './office.ts';

/** What people ask the console, by the id of questions.json: where they go, and what they have to find there. */
export const ASKED: Readonly<Record<string, (hands: Hands) => Promise<void>>> = {
  async q01({ go, shows, showsNot }) {
    await go('t');
    await shows(
      ...['mailbox quotes is not read', 'too many connections of this user', '26 Nov 2026, 08:47'],
      ...['beacon answered 401: key refused', 'no space left on /srv/backup', '26 Nov 2026, 02:00'],
      ...['Pia Lund', 'pia.lund@lund.example.com', '550 5.1.1 no such user', 'quarantine_days', '"thirty"'],
      'what it said before is in force',
    );
    await showsNot('mailbox main is not', 'mailbox accounts is not read');
    await go('e');
    await shows('quarantine_days', /14 the file says thirty/);
  },
  async q02({ go, shows }) {
    await go('t');
    await shows(
      ...['Waits for you 3', 'delete 4 files', 'sam@linden.example.org', 'Invoice 2281', 'carol@linden.example.org'],
      ...['billing@mole-tools-pay.example.net', 'Key dates for Mill Lane', 'nora.vale@valehome.example.com'],
      ...['bob@linden.example.org', 'anna@stern-bau.example.com', 'bob.hale@post.example.net'],
      ...['ines@linden.example.org', /URGENT: transfer today to \w+ · 25 Nov 2026, 17:48 Nothing proves who wrote it/],
    );
  },
  async q03({ go, follow, shows }) {
    await go('t');
    await shows(
      'At work 1',
      /Compare three tenders Ada for hana@linden\.example\.org · since 26 Nov 2026, 13:52 · \$0\.15/,
    );
    await follow('Compare three tenders');
    await shows('Since 13:53:10 it waits for read_file, call 3 of 3', 'tenders/c.md', '$0.15');
  },
  async q04({ go, shows }) {
    await go('t');
    await shows('Spent today $0.89', 'Ada $0.48 of $2.00, $1.52 left', 'Ben $0.41 of $1.00, $0.59 left');
  },
  async q05({ search, follow, shows }) {
    await search('bob');
    await shows(/bob@linden\.example\.org Tell Pia Lund the date Ada (answered|not answered)/);
    await follow('Running late');
    await shows(
      'It is proven to come from bob.hale@post.example.net, but no rule lets that address write to Ada',
      ...['26 Nov 2026, 07:55', /kept until 10 Dec 2026/, 'Let bob.hale@post.example.net write'],
    );
  },
  async q06({ search, follow, shows }) {
    await search('transfer');
    await follow('URGENT: transfer today');
    await shows(
      ...['nothing proves that', 'No work was begun and nobody was answered', OLGA],
      /Came 25 Nov 2026, 17:48/,
    );
  },
  async q07({ search, follow, shows }) {
    await search('pia.lund');
    await follow('Our visit on 9 December');
    await shows(
      ...['It did not reach pia.lund@lund.example.com', '550 5.1.1 no such user', '25 Nov 2026, 09:32'],
      '25 Nov 2026, 09:40 by ada@linden.example.org Not delivered: Our visit on 9 December',
    );
  },
  async q08({ search, follow, shows }) {
    await search('nora.vale');
    await follow('Offer: survey Mill Lane');
    await shows(
      'Dear Nora, we survey the house in Mill Lane for 4,350 EUR, travel included.',
      ...['250 ok', 'nora.vale@valehomes.example.com', '24 Nov 2026, 15:02'],
    );
  },
  async q09({ search, follow, openAll, shows }) {
    await search('marek');
    await shows('Site photos');
    await follow('Photos of plot 9');
    await openAll();
    await shows(
      ...[
        '24 Nov 2026, 16:20',
        'could not be read',
        'a part of it never ends',
        'Read it again',
        'All of it as it came',
      ],
    );
  },
  async q10({ search, follow, openAll, shows }) {
    await search('nora.vale');
    await follow('Key for Mill Lane');
    await openAll();
    await shows(
      ...['an address that no persona has', 'adaa@linden.example.org', '26 Nov 2026, 09:20', /kept until 10 Dec 2026/],
    );
  },
  async q11({ go, follow, openAll, shows }) {
    await go('a');
    await follow('Invoice 2281');
    await shows(
      ...['We will pay 1,940.00 EUR to XX00 0000 1111 2222.', 'billing@mole-tools-pay.example.net'],
      'billing@mole-tools-pay.example.net comes from what was forwarded',
    );
    await follow('the run that asks');
    await openAll();
    await shows('suppliers/mole-tools.md', 'XX00 5555 6666 7777');
    await follow('the mail');
    await shows(/forwarded, written by others .*XX00 0000 1111 2222/, 'carol@linden.example.org');
  },
  async q12({ go, follow, shows }) {
    await go('a');
    await follow('delete 4 files');
    await shows(
      ...[
        'waits for you',
        'Until 28 Nov 2026, 14:22',
        `An answer of ${OLGA}, 25 Nov 2026, 16:00, was neither yes nor no`,
      ],
      'nothing was done',
    );
    await follow('Their mail');
    await shows('Hmm, what is in them?');
  },
  async q13({ go, follow, shows }) {
    await go('a');
    await follow('Petty cash October');
    await shows('denied by theo@linden.example.org: Rhea has these already', 'Decided 20 Nov 2026, 17:29');
    await follow('the run that asks');
    await shows('Ended 20 Nov 2026, 17:31', 'carol@linden.example.org', 'Theo Marsh said no');
  },
  async q14({ go, follow, openAll, shows }) {
    await go('r');
    await follow('Offer to Vale Homes');
    await openAll();
    await shows('2. read_file', 'prices/survey-2025.md', '4,200 EUR', /called read_file 11:15:40/);
    await follow('the mail');
    await shows('send Nora Vale our offer for surveying Mill Lane');
  },
  async q15({ go, follow, shows }) {
    await go('r');
    await follow('Offer to Vale Homes');
    await shows(
      ...['3 h 48 min 1 s', 'waiting 3 h 46 min 39 s, at work 1 min 22 s', OLGA],
      /asked owners about send_email.* 11:16:02 15:02:41/,
    );
  },
  async q16({ go, follow, search, shows }) {
    await go('r');
    await follow('Unpaid invoices');
    await shows('failed', 'the key is refused (401)', 'beacon/ledger-1', '$0.00', '26 Nov 2026, 11:40');
    await go('m');
    await search('theo');
    await shows(/26 Nov 2026, 11:41 to theo@linden\.example\.org Ben cannot work: the key for beacon is refused/);
  },
  async q17({ go, follow, openAll, shows }) {
    await go('r');
    await follow('Tidy the slides folder');
    await openAll();
    await shows('delete_file', 'own words', 'slides/old-outline.md', OLGA, 'until 1 Dec 2026, 00:21');
    await follow('the mail');
    await shows('Came 24 Nov 2026, 00:18', OLGA, 'an owner', 'delete slides/old-outline.md');
  },
  async q18({ go, follow, openAll, shows }) {
    await go('r');
    await follow('When can you measure?');
    await openAll();
    await shows('hours.md', 'No earlier mail of anybody');
  },
  async q19({ go, follow, shows }) {
    await go('n');
    await follow('Ada');
    await shows(
      /sending a mail .*? asks asks no no/,
      /where to is \*@linden\.example\.org yes yes no no/,
      `Without asking: sending a mail, for ${OLGA}`,
      `Owners ${OLGA} Members theo@linden.example.org, bob@linden.example.org`,
      'yusra@linden.example.org',
      'stranger, whose mail is refused, or somebody whom an owner has put into a conversation',
    );
    for (const one of ['nora.vale@valehomes.example.com', 'rhea@quist-accounts.example.com']) {
      await go('p');
      await follow(one);
      await shows(/is a stranger: no rule names the address, so only what a conversation allows is answered/);
    }
  },
  async q20({ go, follow, shows }) {
    await go('n');
    await follow('Ada');
    await shows('It has asked 4 times', '2 approved, 1 of them with a change; 0 denied; 2 open', 'Its drafts none');
    await go('n');
    await follow('Ben');
    await shows('It has asked 2 times', '1 denied; 1 open');
  },
  async q21({ go, follow, shows }) {
    await go('n');
    await follow('Ada');
    await shows(
      /Never promise a date on which drawings will be ready\. .*?Said by olga@linden\.example\.org, 19 Nov 2026/,
    );
  },
  async q22({ go, shows }) {
    await go('k');
    await shows(
      /Fri 27 Nov 11:40 Unpaid invoices cost not known.*? 15:00 Chase open offers cost not known.*? 16:00 Petty cash count cost not known.*? Sat 28 Nov/,
      /Mon 30 Nov 08:00 Week ahead about \$0\.44 11:40 Unpaid invoices cost not known/,
      /Sat 28 Nov nothing Sun 29 Nov nothing/,
    );
  },
  async q23({ go, follow, shows }) {
    await go('k');
    await follow('Chase open offers');
    await shows(
      'State on',
      'Next Fri 27 Nov 15:00',
      /Fri, 20 Nov 2026 15:00 missed: the gateway was not running at that time/,
      '(from 14:20 to 15:35)',
    );
  },
  async q24({ go, follow, shows }) {
    await go('k');
    await follow('Water the plants');
    await shows(
      `Added Mon, 23 Nov 2026 12:00, by ${OLGA}`,
      /paused .*since Mon, 23 Nov 2026 17:30, by olga@linden\.example\.org/,
      'It was not due yet.',
    );
  },
  async q25({ go, follow, shows }) {
    await go('p');
    await follow('nora.vale@valehomes.example.com');
    await shows(
      'Nora Vale wants lengths in metres. said by nora.vale@valehomes.example.com, 23 Nov 2026',
      'Vale Homes closes at noon on Fridays. said by sam@linden.example.org, 25 Nov 2026',
    );
  },
  async q26({ go, follow, shows }) {
    await go('p');
    await follow('bob@linden.example.org');
    await shows('$1.54', '3 runs', '$0.92', '$0.29', '$0.33');
    await go('p');
    await follow('bob.hale@post.example.net');
    await shows('Has cost $0.00');
  },
  async q27({ go, follow, shows }) {
    await go('p');
    await follow('anna@stern-bau.example.com');
    await shows('Wrote 1 mail', 'a stranger', 'refused', '$0.00', 'Survey for a house in Elm Row', 'Nothing.');
    await follow('Survey for a house in Elm Row');
    await shows('25 Nov 2026, 10:12', /kept until 9 Dec 2026/, 'nobody was answered', 'It is proven');
  },
  async q28({ go, follow, shows }) {
    await go('c');
    await follow('Tue, 24 Nov 2026');
    await shows('$2.12', 'in 3 runs', /Ada \$1\.49/, /Ben \$0\.63/);
  },
  async q29({ go, follow, shows }) {
    await go('c');
    await shows(/\$0\.92 Offer to Vale Homes Ada for bob@linden\.example\.org, 24 Nov 2026, 11:15/);
    await follow('Offer to Vale Homes');
    await shows('3 questions to a model', '167,000 in', '3,400 out', 'harbor/tide-2');
  },
  async q30({ go, shows }) {
    await go('c');
    await shows(
      ...[/harbor\/tide-2 \$2\.97/, /harbor\/tide-mini \$0\.18/, /beacon\/ledger-1 \$1\.26/],
      ...[/harbor \$3\.15/, /beacon \$1\.26/],
    );
  },
  async q31({ go, shows }) {
    await go('c');
    await shows(
      'If each of the 4 days that are left costs',
      /the month comes to \$[5-9]\.\d\d/,
      '$4.41 of $25.00',
      '$20.59 left',
    );
  },
  async q32({ go, search, follow, shows }) {
    await go('e');
    await search('quarantine_days');
    await shows('26 Nov 2026, 12:30', /14 the file says thirty.* default 14/, 'was not taken');
    await follow('quarantine_days');
    await shows('It takes: whole number', 'thirty', 'Default 14', '26 Nov 2026, 12:30');
  },
  async q33({ go, choose, press, shows }) {
    await go('e');
    await choose('Which', 'only');
    await press('Show');
    await shows(
      ...[
        /approvals\.ttl_hours .*? 72 (?:the file|last good version)/,
        /admin_contact .*? dev@linden\.example\.org the file/,
      ],
      ...[/console\.enabled .*? yes \(true\) the file/, /quarantine_days .*? 14 the file says thirty/],
    );
  },
  async q34({ go, shows }) {
    await go('s');
    await shows(
      /quotes tries to connect .*too many connections of this user heard 5 h ago 26 Nov 2026, 08:47/,
      /main listens heard (1|2) min ago 26 Nov 2026, (13:59|14:0)/,
      /accounts listens heard \d min ago 26 Nov 2026, (13:5|14:0)/,
    );
  },
  async q35({ go, shows }) {
    await go('s');
    await shows(
      ...['made 36 h ago', '25 Nov 2026, 02:00 412.0 MB', /failed, 26 Nov 2026, 02:00: no space left on \/srv\/backup/],
      '0.1 GB free, 0.5 GB needed',
    );
  },
};
