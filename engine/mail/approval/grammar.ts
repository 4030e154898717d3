import { pattern } from './pattern.ts';

/**
 * All that an answer can say, as a short list of rules over named tokens. It decides what is done on an owner's word, so
 * it is written to be read by somebody else: a sentence is what the first rule says that fits *all* of it, and what no
 * rule fits is asked back. A word that stands in no file of `languages/phrases/` fits nowhere but in the reason of a no.
 */
const PARTS = {
  courtesy: '(thanks thanksMore* (comma? name{1,3})?)',
  list: '(item? number counter? ((comma and? | and | dash)? item? number counter?)*)',
  // More than one, so that the number counts nothing.
  several: '(item? number counter? ((comma and? | and | dash) item? number counter?)+)',
  // "Those 2" and "2 items" count, they do not number.
  targets: '(list | object* (item list | [all both] [object item]* | item+))',
  say: '(we* [approve yes yesOrThanks])',
  // "Please approve" asks somebody else to; "please go ahead" asks for what was asked.
  assent: '(say | please? object* goAhead)',
  // Behind a yes a please stands for itself: read with the word after it as well, each would double the ways to read it.
  more: '(say | goAhead)',
  late: '((sorry comma?)? [we object iAm]* excuse)',
  lead: '((hello | object* [praise sure] | courtesy | praiseOrBefore comma | late) comma?)*',
  tail: '([comma dash]? (praise | sure | please | object | courtesy | [noProblem noMatter]))* ([comma dash]? late)* ([comma dash and]? closing (comma? name{1,3})?)?',
  act: '(may? [object thus]* before:([all both] object*)? (sending:(send) | deleting:(delete)) [object thus]* after:([all both] object*)? (please? away)? (to? object* recipient+)? thus?)',
  sends:
    '(please? may? [object thus all both please]* send [object thus]* (please? away)? (to? object* recipient+)? thus?)',
  deletes: '(please? may? [object thus all both please]* delete [object thus]* (please? away)? thus?)',
  // "Could you" and "you can" alone would be a question: with a please or a yes it asks for what was asked.
  request:
    '((please comma?)? [couldYou may] [object thus please]* (sending:(send) | deleting:(delete)) [object thus please]* away? (to? object* recipient+)? thus?)',
  // What changes nothing where somebody says yes, in whatever order it stands there.
  known:
    '([approve yes goAhead sure praise please thanks thanksMore noProblem noMatter object sorry hello excuse away closing comma dash] | thus (?! [comma dash]* $) | may (?= [object thus please all both to recipient]* [send delete yes goAhead doIt]) | to (?= object* recipient) | (?<= (to | send [object thus]*) object*) recipient | recipient (?= [object thus recipient]* send) | we+ (?= [approve yes excuse object iAm]) | iAm+ (?= excuse) | doIt | (?<= [send delete goAhead doIt away] [object please comma]*) today | today (?= [object please]* [send delete goAhead away]) | and (?= [yes goAhead approve send delete please thanks object sure excuse closing praise]) | (?<= [closing thanks thanksMore] comma?) name{1,3})*',
  // "Please approve" asks somebody else to, wherever it stands.
  said: '(yes | (?<! noMatter [comma dash]?) goAhead | (?<! [please may couldYou] object{0,2}) approve)',
  // Who says it is part of it, once: before both, a run of such words could be divided anywhere.
  refusal:
    '(we* ([all both] [object item]*)? deny | we* not [thanksMore object we may thus]* [approve yes goAhead send delete] | we* noOrNot [object may]* [approve yes goAhead send delete] | we* no [object may]* [send delete] | we* [no noOrNot]+ comma? please? ([all both] [object item]*)? deny | we* [no noOrNot]+ comma? [filler today]* not (?= [comma dot bang dash]* $) | we* [no noOrNot]+ | [all both] [object item]* [no noOrNot not] | we* not today? (?= [dot bang]* $) | callOff object* (?= [comma dot bang dash please thanks filler] | $) | we+ approve object* not | object? [send delete] object? not)',
} as const;

export interface SentenceRule {
  readonly name: string;
  /** What somebody may write who means it. */
  readonly example: string;
  readonly pattern: RegExp;
}

const rule = (name: string, example: string, source: string): SentenceRule => ({
  name,
  example,
  pattern: pattern(source, PARTS),
});

/** Each by its number, in one line. */
export const ONE_BY_ONE = rule(
  'one by one',
  '1 yes',
  '^ target:(number (and number)+ [yes approve goAhead] | number counter? [dot bracket comma dash]? [yes goAhead] ([comma dash and]* number counter? [dot bracket comma dash]? [yes approve goAhead])*) $',
);

/** Where a part of an answer begins that says yes to one number and no to another. */
export const BY_NUMBER = rule(
  'by number',
  '1 yes, 2 no',
  '^ item? number counter? ([comma and dash]{0,3} item? number counter?){0,20} [dot bracket colon comma dash equals object]? (?= [yes goAhead no noOrNot])',
);

/** A yes of known words, in whatever order they stand. For these alone sentences of one line may stand together. */
export const KNOWN_RULES: readonly SentenceRule[] = [
  rule(
    'yes among known words',
    'OK, the mail, go ahead',
    '^ (?= any* said) known ((sending:(send) | deleting:(delete)) known)? $',
  ),
  rule(
    'do it among known words',
    'No problem, send, thank you',
    '^ (?= any* [object recipient please noProblem noMatter sure may]) (?= any* [send delete]) known (sending:(send) | deleting:(delete)) known $',
  ),
  rule(
    'both among known words',
    'All of it, please go ahead',
    '^ (?= any* said) known to? target:([all both] [object item]*) particle? known $',
  ),
  rule(
    'one and the other among known words',
    'OK send the mail, thanks, and delete the draft',
    '^ known [all both]? known each:(send known besides? known delete | delete known besides? known send) known [all both]? known $',
  ),
];

/** What a sentence has to be, as a whole, to be a yes. In this order. */
export const YES_RULES: readonly SentenceRule[] = [
  rule(
    'yes',
    'Yes, please',
    '^ lead assent ([comma dash]? (praise | sure | please | courtesy | more))* ((colon | comma (?= [all both item]))? to? target:(targets) | object* to object* recipient+ | to object)? tail $',
  ),
  rule(
    'all approved',
    'all approved',
    '^ lead target:([all both] [object item]* | (list | all) (?= particle) | several (?= approve)) particle? (approve | yes | sure | goAhead) (comma? (goAhead | praise | sure | please | courtesy))* (comma? (praise | sure | please | courtesy))* $',
  ),
  rule(
    'yes, do it',
    'Yes, delete them all please',
    '^ lead assent ([comma dash]? (praise | sure | please | courtesy | more | noProblem noMatter))* comma? act tail $',
  ),
  rule(
    'both',
    'Sure, all',
    '^ (?= any* sure) lead (assent comma?)? to? target:([all both] [object item]*) particle? ([comma dash]? (sure | please | object | courtesy | noProblem noMatter))* ([comma dash]? closing (comma? name{1,3})?)? $',
  ),
  rule(
    'do one and the other',
    'Send it and delete the draft',
    '^ lead (assent ([comma dash]? (praise | sure | please | courtesy | noProblem noMatter))* comma?)? each:(sends [comma and]* deletes | deletes [comma and]* sends) tail $',
  ),
  rule(
    'please do it',
    'Please send it',
    '^ lead (noProblem noMatter comma?)? (please | may | [praise sure] comma?) please? act tail $',
  ),
  rule(
    'could you do it',
    'Could you send it, please?',
    '^ (?= any* [please yes approve]) lead (assent ([comma dash]? (praise | sure | please | courtesy | noProblem noMatter))* comma?)? request tail question* $',
  ),
  rule(
    'do it',
    'Send it',
    '^ lead (noProblem noMatter comma?)? thus? (sending:(send) | deleting:(delete)) object+ thus? away? (to? recipient+)? tail $',
  ),
  ...KNOWN_RULES,
  rule(
    'all of it, please',
    'All of it, please',
    '^ (?= any* [doIt please sure]) known to? target:([all both] [object item]*) particle? known $',
  ),
  ONE_BY_ONE,
];

/** Typed to a single question, with nothing but courtesy beside it. It is held against the line as it stands. */
export const THUMBS_UP: SentenceRule = { name: 'thumbs up', example: '👍', pattern: /👍|👌|✅|✔|🆗/u };

/** What says nothing about the items. */
export const COURTESY = rule(
  'courtesy',
  'Thanks a lot!',
  '^ (([praise sure please yesOrThanks] | praiseOrBefore comma | courtesy | late) comma?)* $',
);
/** Behind a decision, in the same line. */
export const SIGN_OFF = rule(
  'sign-off',
  'Best regards, Maria',
  '^ ((thanks thanksMore* [comma and]*)* [closing hello] (comma? name{1,3})? | [noProblem noMatter]) $',
);

/** The items first: the decision that follows is about them. */
export const NUMBERED = rule(
  'items first',
  '2: no',
  '^ (target:(list | [all both] (?= [dash colon equals])) [dash colon dot bracket equals]+ (?= any) | marked:(item number counter?) (?= [approve yes deny no noOrNot not]))',
);

/** A no may have a reason behind it, in any words: `tail`. */
export const NO = rule(
  'no',
  'No, the address is wrong',
  '^ (([praise sure please sorry hello today filler] | courtesy) [comma dot bang]?)* (hold [comma dot bang]* (?= [hold please deny no noOrNot]))* (please (?= deny))? (object (?= please? deny))? head:(refusal ([comma dot bang semicolon hold alter]+ please? refusal)*) (object+ (?= [dash comma dot colon semicolon bang because] | $))? ([colon comma dash]? to? target:(targets))? tail:(any*) $',
);
/** And another one: "deny 1, deny 3". */
export const NO_AGAIN = rule(
  'no, and no',
  'deny 1, deny 3',
  '^ [comma dot semicolon bang]+ (?= refusal [colon dash]? to? targets)',
);

/** Where the reason of a no begins. */
export const REASON = rule('reason', 'because it is late', '^ [dash comma dot colon semicolon bang]* because');
/** In "deny 1, 2 looks fine" the second number belongs to what follows. */
export const RUNS_ON = rule(
  'runs on',
  'deny 1, 2 looks fine',
  '^ [^dash comma dot colon semicolon bang because thanks please yesOrThanks sorry]',
);

interface Doubt extends SentenceRule {
  /**
   * `any`: behind every no. `plain`: behind a plain "no" alone, the first word of many other sentences. `word`: behind one that may be a
   * "not" or a "none" as well.
   */
  readonly behind: 'reason' | 'any' | 'plain' | 'word';
}

/** What stands behind a no and makes it a doubt. */
export const DOUBTS: readonly Doubt[] = [
  {
    ...rule(
      'no, because, and yes',
      'No, because it is late. Approve.',
      '[dot bang semicolon] we* ([approve goAhead] | yes ([dash comma dot bang semicolon] | $))',
    ),
    behind: 'reason',
  },
  { ...rule('no, and a question', 'No?', '[question noProblem noMatter] | ^ [unclear noted]'), behind: 'any' },
  {
    ...rule(
      'no to one, and the other',
      "Don't send it, but that is ok",
      'hold any* [yes sure approve] [dot bang picture]* $',
    ),
    behind: 'any',
  },
  { ...rule('no, and who knows', 'No, not sure', '[unclear noted]'), behind: 'plain' },
  {
    ...rule(
      'no, and yes',
      'No, go ahead',
      '(?<! [not noOrNot] [thanksMore object we]{0,3}) (approve | (?<! [we who]) goAhead) | [dash comma dot bang semicolon colon] [praise sure please thanks thanksMore]* we* yes ([dash comma dot bang semicolon] | $)',
    ),
    behind: 'any',
  },
  {
    ...rule(
      'no, and praise',
      'No, looks good',
      '[dash comma dot colon semicolon bang] [object we]* [praise sure] | ^ [object we who iAm tells]* [praise sure]',
    ),
    behind: 'plain',
  },
  {
    ...rule(
      'no, and do it',
      'No, send it',
      '[dash comma dot bang semicolon colon] [we may please object thus all both]* [send delete]',
    ),
    behind: 'plain',
  },
  {
    ...rule(
      'no, and a condition',
      'No, unless Bob agrees',
      '^ [dash comma dot colon semicolon bang]+ [hold number item] (?! deny)',
    ),
    behind: 'plain',
  },
  {
    ...rule(
      'no with a word to it',
      'No idea',
      '^ [^dash comma dot colon semicolon bang thanks please yesOrThanks sorry who tells today we iAm] | ^ tells $',
    ),
    behind: 'word',
  },
];
/** A no that is more than the first word of a sentence. */
export const STRONG = rule(
  'a strong no',
  "don't approve",
  'deny | not | noOrNot [object may]* [approve yes goAhead send delete] | no [object may]* [send delete]',
);

/** Behind the word for taking something back: of what. */
export const UNDO = rule(
  'undo',
  'undo 2, please',
  '^ [colon comma]* (target:(all object* | both object* | list))? [comma bang dot please thanks thanksMore]* $',
);
/** What people say in place of a yes. Of several questions it does not say which. */
export const ONLY_A_YES = rule('assent', 'Sure, thanks', '^ (?= any* sure) known $');
/** Behind a yes. No word of it may be a doubt. */
export const ERRAND = rule(
  'yes, and an errand',
  'and remind me on Friday',
  '^ [and besides comma dash please we filler]* ([couldYou may] [object besides please filler comma]*)? errand [^question deny no noOrNot not unclear noted hold edit approve goAhead send delete praiseOrBefore recipient]* $',
);
/** As a question, which is none where it begins as a request does. */
export const ERRAND_ASKED = rule(
  'yes, and could you',
  'could you remind me on Friday?',
  '^ [and besides comma dash please we filler]* [couldYou may besides] [^comma dot bang semicolon question deny no noOrNot not unclear noted hold alter edit approve goAhead send delete praiseOrBefore recipient errand]* errand [^question deny no noOrNot not unclear noted hold edit approve goAhead send delete praiseOrBefore recipient]* question [thanks please comma dot bang picture]* $',
);
/** The same in languages that say at the end what is to be done. */
export const ERRAND_LAST = rule(
  'yes, and an errand at the end',
  'cevap gelince bana haber ver',
  '^ [and besides comma dash please we filler]* [^comma dot bang semicolon question deny no noOrNot not unclear noted hold edit approve goAhead alter send delete praiseOrBefore recipient]* errand [please thanks comma dot bang picture]* $',
);

/** Behind STOP or RESUME where it is no cry. */
export const COMMAND = rule('command', 'Stop, please.', '^ [comma dot bang please]* $');
