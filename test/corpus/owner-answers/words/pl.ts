import { blocks, lines, type Words } from './words.ts';

export const pl: Words = {
  language: 'pl',
  locale: 'pl-PL',
  name: 'Łucja Wójcik',
  yes: lines(`
Tak
Zatwierdzam
tak
Tak, proszę.
OK
Zgoda
Tak, wyślij.
Tak, w porządku.
Zgadzam się.
Tak, dziękuję.
Akceptuję
Proszę wysłać.
`),
  agreeing: lines(`
W porządku
Wygląda dobrze.
Świetnie.
`),
  no: lines(`
Nie, nie wysyłaj.
Jednak nie.
Tego nie, proszę.
Absolutnie nie.
Nie wysyłaj, Carl już tam nie pracuje.
Wolałabym nie.
Daj spokój, zostaw to.
To nie może tak wyjść.
Nie ma mowy, nigdy tego nie ustaliliśmy.
Proszę nie wysyłać.
Nie robimy tego.
Z mojej strony nie.
`),
  condition: lines(`
Tylko jeśli Tim się zgodzi.
Jeżeli dział prawny nie ma zastrzeżeń.
Chyba że Carl już napisał.
O ile cena się nie zmieni.
Pod warunkiem, że księgowość potwierdzi.
Ale najpierw uzgodnij z Janą.
Jak tylko podpiszę umowę.
Dopiero gdy Mia to zobaczy.
Pod warunkiem że towar naprawdę jest.
Z zastrzeżeniem zgody mojego szefa.
Ale usuń ostatnie zdanie.
Oprócz drugiego akapitu, ten skreśl.
`),
  date: lines(`
Ale nie przed poniedziałkiem.
Wyślij 14 grudnia, proszę.
Poczekaj do czwartku.
Lepiej jutro.
Po świętach.
Dzisiaj jeszcze nie.
Dostawę ustaw na piątek, 11 grudnia.
Wstrzymaj do 15:00.
W przyszłym tygodniu, proszę.
Dostawa ma być 9 grudnia, nie 7.
Dopiero za dwa tygodnie.
Niech wyjdzie dziś o 18.
`),
  amount: lines(`
Ale za 4200 EUR.
Niech będzie 10 lamp.
Z rabatem 5 %.
Maksymalnie 4500.
Tyle że za 4950 euro.
Cena ma być 4300 EUR.
O dwie lampy mniej.
Podwójną ilość, proszę.
Nie więcej niż 4000.
Wpisz 20 lamp.
4600 zamiast 4800.
Plus 120 EUR za wysyłkę.
`),
  takeBack: lines(`
Czekaj, stop.
Zapomnij, co napisałam wyżej.
Po namyśle lepiej poczekajmy.
Skreśl to.
Przepraszam, zła wiadomość. Zignoruj.
Wycofuję to.
Chwila, najpierw sprawdzę.
Anuluj to, proszę.
Ups, to było do Jany.
Na razie wstrzymaj.
Zmieniłam zdanie.
Moje tak jest nieaktualne.
`),
  question: lines(`
Kto to jest Carl?
Dlaczego 12 lamp?
Czy to dobry adres?
Czy Mia sprawdziła cenę?
Ile proponowaliśmy ostatnio?
Możesz mi najpierw pokazać cały tekst?
Czy on już o tym wie?
Czy to pilne?
Jakie to lampy?
Jesteś pewna tej daty?
Skąd ta cena?
Czy on o to prosił?
`),
  undecided: lines(`
Jestem na spotkaniu, zajrzę później.
Hm.
Muszę się z tym przespać.
Muszę zapytać Janę.
Może.
Nie jestem pewna.
`),
  greetings: lines(`
Cześć Ado,
Dzień dobry,
Droga Ado,
`),
  closings: lines(`
Pozdrawiam
Dziękuję
Z poważaniem
Pozdrowienia,
`),
  signatures: blocks(`
Łucja Wójcik
Dyrektor sprzedaży
Wójcik Oświetlenie Sp. z o.o.
ul. Młyńska 12, 00-001 Warszawa
tel. +48 22 000 01 23
www.wojcik-oswietlenie.example

Łucja

Łucja Wójcik | Wójcik Oświetlenie
tel. 22 000 01 23 | kom. 600 000 123
lucja@wojcik-oswietlenie.example

Ł. Wójcik, prezes
Wójcik Oświetlenie
Warszawa
`),
  hardSignatures: blocks(`
Jan Niewiem
Wójcik Oświetlenie Sp. z o.o.

Łucja Wójcik
ul. Przystanek 3, Warszawa

Łucja Wójcik
Wójcik Oświetlenie - nie tylko lampy.

Wójcik Oświetlenie Sp. z o.o.
KRS nr 0001234567
NIP 1234567890

Łucja Wójcik
Wiadomość poufna. Jeśli nie jest Pan/Pani adresatem, prosimy ją usunąć i nie kopiować.

Łucja Wójcik
Nie drukuj tej wiadomości, jeśli nie musisz.

Łucja Wójcik
Niniejsza wiadomość nie stanowi oferty, chyba że zaznaczono inaczej.

Łucja Wójcik
Nie przegap targów 14-16 stycznia, hala 3!

Łucja Wójcik
Biuro czynne pn-pt 9-17. W środy nie pracuję.

Łucja Wójcik
Kancelaria Czekaj i Wspólnicy
Bez gwarancji, ceny mogą ulec zmianie.

Po co czekać? Zamów online: www.wojcik-oswietlenie.example
`),
  footerLike: lines(`
Wysłane z błędną ceną, nie wysyłaj.
Wysłano z niewłaściwego konta, stop.
Wysłane przez pomyłkę, poczekaj.
Wysłane z pociągu bez czytania, więc czekaj.
Pobierz najpierw zgodę Tima
`),
  headerLike: blocks(`
Od: poniedziałku
Do: piątku
Data: nie przed 5 grudnia

Warunek: Tim się zgadza
Kwota: 4200 EUR
Dostawa: 14 grudnia

Do: Carl
Temat: najpierw zmień
Data: przyszły tydzień

Od: mnie
Do: ciebie
Temat: oferta
Uwaga: jeszcze nie wysyłać

Kiedy: po rozmowie z Janą
Co: tylko pierwszy akapit
Kto: nie Carl, tylko Dora
`),
  attributionLike: lines(`
W poniedziałek Carl powiedział mi, że tego nie chce, i napisał:
W dniu 24 listopada 2026 o 10:00 powiedziałam nie, a Jana napisała:
Poczekaj, proszę, w piątek Mia napisała:
`),
  postscript: 'PS.',
  request: 'Proszę wyślij dziś Carlowi naszą nową ofertę na dwanaście lamp.',
  subject: 'Oferta 4711',
  letter:
    'Drogi Carlu,\n\noferujemy 12 lamp za 4800 EUR, dostawa w poniedziałek, 7 grudnia 2026, o 10:00.\n\nPozdrawiam\nAda',
};
