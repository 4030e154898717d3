/** Of the languages in which the gateway speaks: to invite, and what one is invited to. */
const ASKING =
  /(?<!\p{L})(?:invit|meeting|appointment|reschedul|calend|kalender|einlad|lade |lad |termin(?!at)|besprechung|rendez-vous|réunion|reuni|riunion|afspra|vergader|uitnodig|nodig |convi|convoc|cita |spotkan|zapro)|会議|打ち合わせ|予定|招待|会议|邀请|约会/iu;

/** Whether words of a mail may ask for a meeting with others. The tool for that is not worth its words in other mails. */
export const asksForMeeting = (text: string): boolean => ASKING.test(text);
