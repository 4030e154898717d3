import { blocks, lines, type Words } from './words.ts';

export const en: Words = {
  language: 'en',
  locale: 'en-US',
  name: 'Mary Keller',
  yes: lines(`
Yes
Approve
yes
Approved
Yes, please.
OK
Yes, go ahead.
Go ahead
Sure, send it.
Yes, that's fine.
Looks good, send it.
Yes please, thanks!
`),
  agreeing: lines(`
Looks good to me.
Fine by me.
Great idea.
`),
  no: lines(`
No, don't send it.
Actually no.
Not this one, please.
Please don't.
Don't do it, Carl has left the company.
I'd rather you didn't.
Nope, leave it.
This must not go out.
No way, we never agreed to that.
Do not send.
We are not doing this.
That's a no from me.
`),
  condition: lines(`
Only if Tim agrees.
If legal is fine with it.
Unless Carl has already written.
As long as the price stays the same.
Provided that accounting has confirmed.
But check with Jana first.
Once I have signed the contract.
Only after Mia has seen it.
Assuming the stock is really there.
Subject to my manager's OK.
But take the last sentence out.
Except the second paragraph, leave that out.
`),
  date: lines(`
But not before Monday.
Send it on 14 December, please.
Wait until Thursday.
Tomorrow would be better.
After the holidays.
Not today.
Make the delivery Friday 11 December.
Hold it until 3 pm.
Next week, please.
Delivery should be 9 December, not the 7th.
In two weeks from now.
Let it go out at 6 in the evening.
`),
  amount: lines(`
But 4,200 EUR.
Make it 10 lamps.
With 5 % discount.
At most 4,500.
For 4,950 euros though.
The price should read 4,300 EUR.
Two lamps fewer.
Double the quantity, please.
Not more than 4k.
Please put 20 lamps in it.
4,600 instead of 4,800.
Plus 120 EUR for shipping.
`),
  takeBack: lines(`
Wait, stop.
Forget what I said above.
On second thought, hold off.
Scratch that.
Sorry, wrong mail. Ignore this.
I take that back.
Hang on, let me check first.
Cancel that, please.
Oops, that was meant for Jana.
Please hold this for now.
I changed my mind.
Ignore my yes.
`),
  question: lines(`
Who is Carl?
Why 12 lamps?
Is that the right address?
Has Mia checked the price?
What did we offer last time?
Can you show me the full text first?
Does he know about it yet?
Is this urgent?
Which lamps are these?
Are you sure about the date?
Where does the price come from?
Did he ask for that?
`),
  undecided: lines(`
I'm in a meeting, will look at it later.
Hm.
Let me sleep on it.
I have to ask Jana.
Maybe.
Not sure about this one.
`),
  greetings: lines(`
Hi Ada,
Hello Ada,
Ada,
`),
  closings: lines(`
Best regards
Thanks
Cheers
Kind regards,
`),
  signatures: blocks(`
Mary Keller
Head of Sales
Keller Lighting Ltd
12 Mill Lane, Leeds LS1 4AP
Phone +44 113 496 0123
www.keller-lighting.example

Mary

Mary Keller | Keller Lighting
T: +44 113 496 0123 | M: +44 7700 900123
mary@keller-lighting.example

M. Keller, Managing Director
Keller Lighting Ltd
Leeds
`),
  hardSignatures: blocks(`
Gordon No
Keller Lighting Ltd

Mary Keller
5 Bus Stop Road, York YO1 7HH

Mary Keller
Keller Lighting - not just lamps.

Keller Lighting Ltd
Registered in England No. 1234567
VAT No. GB 123 4567 89

Mary Keller
This e-mail is confidential. If you are not the intended recipient, please delete it and do not copy it.

Mary Keller
Please do not print this e-mail unless you really need to.

Mary Keller
The views expressed are not those of Keller Ltd unless stated otherwise.

Mary Keller
Don't miss us at the trade fair, 14-16 January, hall 3!

Mary Keller
Office hours: Mon-Fri 9 am-5 pm. I do not work on Fridays.

Mary Keller
Nott, Wait & Partners LLP
No liability is accepted for errors. All prices subject to change.

Why wait? Order online: www.keller-lighting.example
`),
  footerLike: lines(`
Sent with the wrong price, please don't.
Sent via courier instead, not by mail.
Sent from the wrong account, please stop.
Get Tim's approval first
Sent from my desk before I had read it, so wait.
`),
  headerLike: blocks(`
From: Monday
To: Friday
Date: not before 5 December

Condition: Tim agrees
Amount: 4,200 EUR
Delivery: 14 December

To: Carl
Subject: please change it first
Date: next week

From: me
To: you
Subject: Offer
Note: do not send yet

When: after my call with Jana
What: only the first paragraph
Who: not Carl, Dora
`),
  attributionLike: lines(`
On Monday Carl told me that he does not want it, he wrote:
On 24 November 2026 at 10:00 I said no, and Jana wrote:
Please wait, on Friday Mia wrote:
`),
  postscript: 'P.S.',
  request: 'Please send Carl our new offer for the twelve lamps today.',
  subject: 'Offer 4711',
  letter:
    'Dear Carl,\n\nwe offer 12 lamps for 4,800 EUR, delivery on Monday, 7 December 2026, at 10:00.\n\nKind regards\nAda',
};
