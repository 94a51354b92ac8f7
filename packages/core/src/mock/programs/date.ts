const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** upstream: strftime(3), UTC */
export function formatDate(millis: number, format: string): string {
  const d = new Date(millis);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = days[d.getUTCDay()] as string;
  const month = months[d.getUTCMonth()] as string;
  const one = (c: string): string => {
    switch (c) {
      case 'Y':
        return String(d.getUTCFullYear());
      case 'y':
        return two(d.getUTCFullYear() % 100);
      case 'm':
        return two(d.getUTCMonth() + 1);
      case 'd':
        return two(d.getUTCDate());
      case 'e':
        return String(d.getUTCDate()).padStart(2, ' ');
      case 'H':
        return two(d.getUTCHours());
      case 'I':
        return two(d.getUTCHours() % 12 || 12);
      case 'M':
        return two(d.getUTCMinutes());
      case 'S':
        return two(d.getUTCSeconds());
      case 'N':
        return `${String(d.getUTCMilliseconds()).padStart(3, '0')}000000`;
      case 's':
        return String(Math.floor(millis / 1000));
      case 'F':
        return `${one('Y')}-${one('m')}-${one('d')}`;
      case 'T':
        return `${one('H')}:${one('M')}:${one('S')}`;
      case 'R':
        return `${one('H')}:${one('M')}`;
      case 'D':
        return `${one('m')}/${one('d')}/${one('y')}`;
      case 'a':
        return day.slice(0, 3);
      case 'A':
        return day;
      case 'b':
      case 'h':
        return month.slice(0, 3);
      case 'B':
        return month;
      case 'p':
        return d.getUTCHours() < 12 ? 'AM' : 'PM';
      case 'Z':
        return 'UTC';
      case 'z':
        return '+0000';
      case 'j':
        return String(Math.floor((millis - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(3, '0');
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case '%':
        return '%';
      default:
        return `%${c}`;
    }
  };
  return format.replace(/%(.)/g, (_, c: string) => one(c));
}
