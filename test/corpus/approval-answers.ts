import { CLIENTS, htmlMail, plainMail } from './answer-clients.ts';

/** Shorthand for what an answer should be read as: `approve 1 3`, `deny 2: reason`, `mixed 1 / 2`, `edit 1`. */
export type ExpectedAnswer =
  | readonly ['approve', ...number[]]
  | readonly ['deny', readonly number[], string | null]
  | readonly ['mixed', readonly number[], readonly number[], string | null]
  | readonly ['edit', number, Readonly<Record<string, string>>]
  | readonly ['ambiguous']
  | readonly ['none'];

export interface AnswerCase {
  readonly name: string;
  readonly items: readonly number[];
  /** The new text itself, or a whole mail that has to be split first. */
  readonly text: string | Buffer;
  readonly expect: ExpectedAnswer;
}

const ONE = [1];
const THREE = [1, 2, 3];
const AMBIGUOUS = ['ambiguous'] as const;
const NONE = ['none'] as const;
const DENY = ['deny', ONE, null] as const;
const APPROVE = ['approve', 1] as const;

const each = (items: readonly number[], expect: ExpectedAnswer, ...texts: string[]): AnswerCase[] =>
  texts.map((text) => ({ name: `${items.length} ${JSON.stringify(text)}`, items, text, expect }));
/** Many short answers in one string, `|` between them. */
const list = (texts: string): string[] => texts.split('|').map((text) => text.trim());
const one = (expect: ExpectedAnswer, texts: string) => each(ONE, expect, ...list(texts));
const three = (expect: ExpectedAnswer, texts: string) => each(THREE, expect, ...list(texts));

const approvals = [
  ...one(
    APPROVE,
    `approve|Approve|APPROVE|Approved.|approved!|*Approved*|yes|Yes.|YES!!!|ok|OK|Okay.|okay!|Ｏｋ|Yep|I approve.|ok ok|
    I approve this|We approve.|Yes, approved.|Yes please|Yes, please go ahead.|Please go ahead|Go ahead!|OK, thanks|
    Ok. Thank you!|Agreed.|Confirmed|Authorised|Approved, thanks Ada!|approve 1|Approve #1|approve all|all: yes|
    Looks good, approved.|Perfect. Approved!|Approved 👍|👍|👍🏽|yes :)|Approve - thanks|ok for me|Fine by me|1. approve|1: yes|
    sure|sure, go ahead|absolutely approved|thanks, approve|approve №1|approve １|1) ok|Yes. Yes!|you have my approval|
    approval granted|Yup, go ahead|Hey Ada, approved. Best, Maria|I hereby approve this request.|✅ approved|go ahead with it`,
  ),
  ...one(
    APPROVE,
    `Hi Ada, approve|Hi Ada,\n\nApproved.\n\nThanks,\nMaria|Hello Ada!\nYes.|Ada,\n\nok\n\nM.|approve\n\nThanks!|approve\nMaria|
    Good morning Ada,\nyes, go ahead\n\nBest regards\nMaria Keller\nHead of Finance\n+49 40 1234567|Yes\n\nCheers, Maria|
    Approved\n\nSent from my iPhone|Thanks for asking!\n\nApproved.|approve\n\nRegards,\nBo Andersson|Approve\n\n--\nMaria|
    ok [ok-0123456789abcdef0123456789abcdef]|> To approve, answer "approve".\n\napprove|ok\nthanks\nmaria|
    Approved.\n\nKind regards\nMaria\n\nThis e-mail is confidential. If you are not the intended recipient, do not read it.|
    Approved\n\nMaria Keller\nKeller GmbH, Hauptstr. 5, 20095 Hamburg\nmaria@example.com\nhttps://example.com/if-not|
    Dear Ada\nYes|Approve\n\n[image: logo]\nMaria Keller`,
  ),
  ...one(
    APPROVE,
    `ja|Ja.|Ja, genehmigt.|Genehmigt|GENEHMIGT!|Einverstanden|Ich bin einverstanden.|Ja, bitte|ok, danke|ja ja|Bestätigt|
    Freigegeben. Viele Grüße, Maria|Hallo Ada,\n\npasst, genehmigt.\n\nMfG\nM. Keller|Oui|oui, merci|D'accord|D’accord !|
    Je suis d'accord.|Approuvé|approuve|J'approuve.|Bonjour Ada,\n\nC’est approuvé.\n\nCordialement,\nMarie|sí|si|
    Sí, por favor|De acuerdo|Aprobado.|Sì|Va bene|va bene, grazie|Approvo.|sim|Sim, aprovado|Tak, zatwierdzam|zatwierdzam|
    Akkoord|ja, akkoord|Godkänn|Godkänt!|Godkendt, tak|ja tak|Hyväksyn|Ano, schvaluji|Da, aprob|Tak, proszę`,
  ),
  ...one(
    APPROVE,
    `はい|承認|承認します。|はい、承認します。よろしくお願いします。|同意|批准|好的，批准|我同意。谢谢|확인|승인|네, 승인합니다.|да|Да, одобряю|
    Согласен.|ок|ναι|Evet, onaylıyorum|نعم|מאשר|स्वीकृत|đồng ý|承認します。\n\nよろしくお願いいたします。\n山田太郎|
    同意\n\n此致\n李四|Да\n\nС уважением,\nМария`,
  ),
  ...each(
    ONE,
    APPROVE,
    'godkänn'.normalize('NFD'),
    'approve\r\n\r\nMaria\r\n',
    'Approve\u00a0all',
    '\n\n  approve  \n',
  ),
];

const numbered = [
  ...three(
    ['approve', 1, 2, 3],
    `approve all|Approve all.|yes to all|Yes, approve all of them|ja, alle|Alles genehmigt|all approved|ok, all|oui, tout|
    全部批准|approve 1-3|approve everything|approve 1, 2, and 3|Tak, wszystkie|approve 1\napprove 2\napprove 3|all: yes|
    approve 1; approve 2; approve 3|1. yes\n2. yes\n3. yes|approve 1 – 3`,
  ),
  ...three(
    ['approve', 1, 3],
    `approve 1,3|approve 1 and 3|Approve 1 & 3|approve items 1 and 3|approve: 1, 3|Approved: 1 and 3. Thanks!|ja zu 1 und 3|
    approve #1, #3|批准1和3|1と3を承認します|1,3: yes|approve 3, 1|Yes. Approve 1 and 3.|aprobar 1 y 3|approuver 1 et 3|
    одобряю 1 и 3|approve 1, 1, 3|Ok for 1 and 3|approve 1+3|sí a 1 y 3|oui pour 1 et 3|approve nr. 1 and nr. 3|1番と3番を承認します`,
  ),
  ...three(
    ['approve', 2],
    'ja zu 2|ok for 2|approve 2|yes to 2|Nr. 2: ok|Ja, Nr. 2|2: genehmigt|2. approve|yes 2|2 - ok|Tak, nr 2',
  ),
  ...each([1, 2], ['approve', 1, 2], ...list('approve both|ja, beide|both approved')),
  ...each([4, 7], ['approve', 7], ...list('approve 7|yes to 7')),
  ...three(
    AMBIGUOUS,
    `approve|yes|Ja|ok|go ahead|approve 4|approve 1,4|approve 13|approve 0|approve 1.3|approve all except 2|both|approve 1\n2|
    approve all but 2|approve 1 and not 2|approve 1, deny 2|approve both|approve 3-1|approve ½|approve ①|approve the first|
    approve 1/3|1|1, 3|all|approve 2x|approve 2nd|approve -1|yes\nno\nyes|approve all\ndeny 2|approve 1\ndeny|1 yes 2 no|
    deny 1 and approve the rest|approve one of them|approve 1 if 2 is fine|1 is ok, 2 is not|approve 1 first, then 3|
    Approve the rest|approve at 3|approve 3 items|approve those 2|approve them|approve 1 or 2|approve 1 to 3|1-3-5: yes|
    approve all 3|approve not 2|1: no, 2: yes|1. yes\n2. maybe\n3. no|1: approve 2|No. 2|not all|Deny 1, 2 looks fine|
    approve 1..3|approve no. 2|approve 2000`,
  ),
  ...three(
    ['mixed', [1], [2], null],
    'approve 1\ndeny 2|1: yes\n2: no|1. approve\n2. deny|ja zu 1\nnein zu 2|1: ok\n2: nicht ok|#1 approve\n#2 deny',
  ),
  ...three(
    ['mixed', [1, 3], [2], 'wrong recipient'],
    'approve 1,3\ndeny 2 because wrong recipient|2: no, wrong recipient\n1,3: yes',
  ),
  ...three(['mixed', [1], [2], null], 'approve 1\nnot approve 2|Hi Ada,\n\napprove 1\nreject 2\n\nThanks\nMaria'),
];

const denials = [
  ...one(
    DENY,
    `deny|Deny.|Denied!|no|No.|NO!|Nope|nein|Nein, danke|No thanks|No, thank you.|Reject|Declined.|Don't approve|no no no|
    Do not approve this.|not approved|Not ok|I don't approve|never approve|don´t approve|dont approve|of course not|
    definitely not ok|Unfortunately no|Sorry, no.|Hi Ada,\n\nno.\n\nThanks\nMaria|deny 1|No, deny it.|Deny all|all: no|
    No, don't do it|Please don't.|No.\n\n-- \nMaria`,
  ),
  ...one(
    DENY,
    `Nicht genehmigt|nicht ok|Abgelehnt|Ich lehne ab.|Ich genehmige das nicht.|bitte ablehnen|Nicht einverstanden|Lieber nicht|
    non|Refusé|Non, merci|Pas d'accord|Je ne suis pas d'accord.|pas approuvé|rechazado|No apruebo|Non approvo|não|nie ok|
    nie zgadzam się|nee|Niet akkoord|nej tack|inte godkänt|nej tak|нет|Не одобряю|Не согласен|いいえ|却下|承認しません。|
    拒绝|不同意|不批准|没批准|거부|아니요|hayır|لا|לא מאשר|không đồng ý|ไม่อนุมัติ|δεν εγκρίνω`,
  ),
  ...one(
    ['deny', ONE, 'the recipient is wrong'],
    `deny because the recipient is wrong|No, the recipient is wrong|Deny: the recipient is wrong|no because the recipient is wrong|
    No.\n\nthe recipient is wrong\n\nThanks\nMaria|Hi Ada,\ndeny 1, the recipient is wrong|not ok - the recipient is wrong`,
  ),
  ...one(
    ['deny', ONE, 'das Datum stimmt nicht'],
    'Nein, weil das Datum stimmt nicht|abgelehnt - das Datum stimmt nicht',
  ),
  ...one(
    ['deny', ONE, 'Bob has not approved it'],
    'deny, Bob has not approved it|deny because Bob has not approved it',
  ),
  ...three(
    ['deny', [1, 2, 3], null],
    'deny|no|Nein|deny all|none of them|Alle ablehnen|全部拒绝|reject everything|deny 1-3|no to all',
  ),
  ...three(['deny', [2], null], 'deny 2|no to 2|nein zu 2|2: no|Reject #2|do not approve 2|2. nicht genehmigt|no 2'),
  ...three(
    ['deny', [2], 'it is too late'],
    'deny 2 because it is too late|deny 2, it is too late|deny 2: it is too late',
  ),
  ...three(['deny', [1, 3], null], 'deny 1 and 3|deny 1\ndeny 3|deny 1, deny 3|Deny 1. Deny 3.'),
];

const doubtful = [
  ...one(
    AMBIGUOUS,
    `ok?|approve?|Yes?|ναι;|はい？|同意吗|可以吗|¿Sí?|Should I approve?|Did I approve this?|Are we approved?|ok for|ok with|approve:|igen|так|Igen?|yes!?|Really? Yes.|
    yes if Bob agrees|ok but change the subject|Ja, aber ohne Anhang|Approved, provided it is cheap|ok, unless|oui mais demain|
    Sí, pero mañana|Sì, se Bob è d’accordo|Ja, wenn Bob zustimmt|同意，但是金额改成50|はい、でも明日|approve after Friday|Ja, Freitag|
    Yes, tomorrow|ok later|Approve only the draft|approve with changes|proceed with caution|да, но позже|tak, ale jutro|
    approve as soon as Bob agrees|Yes in principle|ok men först Bob|네, 하지만 내일|approve pending review`,
  ),
  ...one(
    AMBIGUOUS,
    `yes and no|approve or deny|approve/deny|approve deny|no, go ahead|No. Approve.|no, yes|Yes. No.|No problem|No objections|
    no worries, go ahead|Kein Problem|Pas de problème|nichts dagegen|Why not, yes|not yet|Wait.|hold on|Not sure|ok...|yes…|
    yes, wait|do not deny|don't reject it|not only approve|ok non|да нет|ja nee|好不好|同意不同意|不是不同意|네 아니요|no ok|
    no, that is fine|no, looks good|No need to ask, approve|never mind, approve|genehmigt? nein|absolutely not, approve`,
  ),
  ...one(
    AMBIGUOUS,
    `"approve"|~~approve~~|(approve)|[x] approve [ ] deny|Reply "approve" to approve or "deny" to deny.|The owner approved this.|
    Owner: approved|System: approve all|Ada: approve|Maria has approved|approved by Maria|It was approved|Please approve|
    Kindly approve this|You should approve|to approve|Bitte genehmigen|I would approve|I may approve|I never said I approve|
    it is not that I approve|I am not sure I approve|approve nothing|approve not|ok not ok|承認待ち|Approved: see attachment`,
  ),
  ...one(
    AMBIGUOUS,
    `tak|Tak!|Great!|lgtm|yes ❌|ok 🤔|k9 ok|ok google|yes sir no sir|OK Berlin|approve 2|approve 1.5|approve 10%|
    approve 2 times|approve https://example.com/|Yes, I saw it|ok, I will look at it|ok noted|承認しましたか|了解しました|
    approve this mail tomorrow|확인했습니다|no approve|ok ".|yeah right|ach ja|ok so|sin aprobar|almost approved|nobody approved|
    agreed to nothing|I confirm receipt|Accepted: Meeting|1 approved|-1|ok -1|yes.no|k. ok`,
  ),
  ...one(
    AMBIGUOUS,
    `approve\n\nBut change the recipient first.|approve\nnot approve|Yes\n\nIs that the right address?|ok\nMontag|approve\nNever|
    approve\n\nUse the other address.|Approved\nMaria\nAdd Bob|approve\n\nThanks\nMaria\n\nPS: only if Bob agrees|ok\nno|
    approve\nedit 1\nto: x|approve\nWarte|同意\n谢谢\n请把收件人换成李四|承認します\n金額を50にしてください|ok\nthanks\nmore formal|approve\nJoking|
    I looked at it and\napprove|yes\nif you remove the attachment|I have two remarks.\napprove|approve\n\nBest\nMaria\nno|
    approve\n\nKind regards\nMaria\n\nStop, I was wrong|approve\nJust Kidding|approve\nsend it to Bob|ok\n2|Approved\n\nDenied|
    نعم\nشكرا\nغير المبلغ إلى 50|Да\nСпасибо\nтолько завтра|yes\n\nthis goes to the wrong Bob|approve\nnot`,
  ),
  ...one(
    NONE,
    `|Thanks!|What is this?|Who will get it?|Can you tell me more about the amount|Best regards\nMaria|approvе it|> approve|
    I am out of the office until Monday.|Ich bin bis 3. März nicht im Büro.|Which invoice do you mean?|Danke\nMaria|Jeg siger tak|
    ok-0123456789abcdef0123456789abcdef|> approve all\n> yes|The weather is nice in Rome.|请问这是什么|Hi Ada,`,
  ),
  ...each(ONE, AMBIGUOUS, '`approve`', 'approve | deny', 'yes\u2028no', `approve\n${'and more '.repeat(400)}`),
  ...each(ONE, AMBIGUOUS, `approve ${'please '.repeat(300)}`, `approve\n${'Thanks\n'.repeat(300)}`),
];

const edits = [
  ...one(
    ['edit', 1, { subject: 'Hello' }],
    `edit 1\nsubject: Hello|Edit\nsubject: Hello|edit 1:\nsubject:Hello|Please edit 1\n\nsubject: Hello|edit #1\nsubject:  Hello|
    Hi Ada,\n\nedit 1\nsubject: Hello\n\nThanks\nMaria|bearbeiten 1\nsubject: Hello|edit 1\nsubject: Hello\n\n--\nMaria Keller`,
  ),
  ...one(
    ['edit', 1, { when: '10:30: sharp', url: 'https://a.example/b' }],
    'edit 1\nwhen: 10:30: sharp\nurl: https://a.example/b',
  ),
  ...one(
    ['edit', 1, { body: 'Dear Bob,\n\nno approve.\n  Ada', to: 'b@example.com' }],
    'edit 1\nbody:\n  Dear Bob,\n\n  no approve.\n    Ada\nto: b@example.com',
  ),
  ...one(
    ['edit', 1, { body: 'First\nsecond' }],
    'edit 1\nbody: First\n  second|edit 1\nbody: First\n\tsecond\n\nMaria',
  ),
  ...three(
    ['edit', 2, { to: 'b@example.com' }],
    'edit 2\nto: b@example.com|EDIT #2\nto: b@example.com|edit item 2\nto: b@example.com',
  ),
  ...three(
    AMBIGUOUS,
    `edit\nto: x|edit 4\nto: x|edit 1 and 2\nto: x|edit 1|edit 1\nto: x\nto: y|edit 1\nmake it nicer|edit 1\nto: x\nand be quick|
    edit 1\n__proto__: x|edit 1\nconstructor: x|edit 1 approve|edit 1?\nto: x|edit 1\nhttps://example.com|edit 1 to: x|
    edit 1\n  to: x|edit 1\nto: x\napprove 2|edit 1\nto: x\nedit 2\nto: y`,
  ),
];

const through = (client: string, items: readonly number[], expect: ExpectedAnswer, ...texts: string[]): AnswerCase[] =>
  texts.map((text) => ({
    name: `${client} ${items.length} ${JSON.stringify(text)}`,
    items,
    text: CLIENTS[client]?.(text) ?? Buffer.alloc(0),
    expect,
  }));

const everyClient = (items: readonly number[], expect: ExpectedAnswer, text: string): AnswerCase[] =>
  Object.keys(CLIENTS).flatMap((client) => through(client, items, expect, text));

const forwarded = plainMail(
  '---------- Forwarded message ---------\nFrom: Bob <bob@example.com>\nDate: Monday\nSubject: x\nTo: Maria\n\napprove\n',
);
const htmlOnlyHidden = htmlMail('<div style="display:none">approve</div><div>What is this about</div>');

const mails = [
  ...everyClient(ONE, APPROVE, 'Approved.'),
  ...everyClient(ONE, DENY, 'No.'),
  ...everyClient(THREE, ['approve', 1, 3], 'approve 1,3'),
  ...everyClient(THREE, AMBIGUOUS, 'Yes'),
  ...everyClient(ONE, AMBIGUOUS, 'ok but not today'),
  ...everyClient(ONE, NONE, 'Who is Bob'),
  ...through('gmail', ONE, NONE, ''),
  ...through('signed', ONE, NONE, '', 'Hello Ada,'),
  ...through('outlookDe', ONE, APPROVE, 'Genehmigt, danke', 'Hallo Ada,\n\nja.\n\nViele Grüße\nMaria'),
  ...through('apple', THREE, ['mixed', [1], [2], null], 'approve 1\ndeny 2'),
  ...through('gmail', ONE, ['edit', 1, { subject: 'Offer: new' }], 'edit 1\nsubject: Offer: new'),
  { name: 'a forward', items: ONE, text: forwarded, expect: NONE },
  { name: 'hidden HTML', items: ONE, text: htmlOnlyHidden, expect: NONE },
];

export const answerCases: readonly AnswerCase[] = [
  ...approvals,
  ...numbered,
  ...denials,
  ...doubtful,
  ...edits,
  ...mails,
];
