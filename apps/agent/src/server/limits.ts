/**
 * Everything that a socket in front of a browser may cost, in one place. There are two servers: the session's own,
 * which listens on loopback only, and the one for the audience of a class, which other machines may reach. All their
 * limits are here, and `limits.attack.long.test.ts` goes through this table: it drives a real server up to each of
 * these numbers and beyond it.
 */

/** The number of followers of a class, and of those that may come from one address. */
export interface ClassSize {
  readonly seats: number;
  readonly seatsPerAddress: number;
}

/**
 * Followers from one address: a class of 40 behind a school's router, some of them with two pages or one that is just
 * going.
 */
export const defaultSeatsPerAddress = 64;

/**
 * A limit. `session` and `audience` are the most that each of the servers allows; null if the server has no such limit.
 */
export interface Limit {
  readonly session: number | null;
  readonly audience: ((size: ClassSize) => number) | null;
  /** The unit of what is counted, and its period. */
  readonly unit: string;
  /** The consequence for whoever goes beyond it. */
  readonly beyond: string;
  readonly why: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const always = (most: number) => (): number => most;

export const limits = {
  // --- connections ---------------------------------------------------------------------------------------------------
  connections: {
    session: 128,
    audience: ({ seats }) => 8 * seats,
    unit: 'TCP connections at a time, in all',
    beyond: 'the one that has gone without a token for longest is closed; where all have one, the new one is',
    why: 'A browser takes six for the files of a page. A page shows its token within milliseconds, so that a flood of connections closes its own.',
  },
  connectionsPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => 8 * seatsPerAddress,
    unit: 'TCP connections at a time, per address',
    beyond: 'the one of this address that has gone without a token for longest is closed',
    why: 'One machine cannot take the places of all others.',
  },
  connects: {
    session: 600,
    audience: ({ seatsPerAddress }) => 100 + 8 * seatsPerAddress,
    unit: 'connects within ten seconds, per address',
    beyond: 'the connection is closed before a byte of it is read',
    why: 'Each costs about half a millisecond. A page takes seven, and one more whenever it connects anew. Ten seconds, so that others of the address get in again soon after.',
  },
  requests: {
    session: 2000,
    audience: ({ seatsPerAddress }) => 100 * seatsPerAddress,
    unit: 'HTTP requests within ten seconds, per address',
    beyond: 'the answer is 429, and the connection is closed',
    why: 'They are answered from memory, but one connection can send thousands in a second. The page has some 50 files.',
  },
  headMillis: {
    session: 10_000,
    audience: always(10_000),
    unit: 'milliseconds for a request, or for the handshake of TLS, to be whole',
    beyond: 'the connection is closed',
    why: 'A client that sends half a request would keep its place for ever.',
  },
  idleMillis: {
    session: 30_000,
    audience: always(30_000),
    unit: 'milliseconds in which nothing goes either way on a connection that is not a WebSocket',
    beyond: 'the connection is closed',
    why: 'A client that asks for a file and does not read it would keep its place for ever.',
  },

  // --- strangers: WebSockets that have not come with a token yet -----------------------------------------------------
  strangers: {
    session: 32,
    audience: ({ seats }) => 2 * seats,
    unit: 'WebSockets without a token at a time, in all',
    beyond: 'the oldest of them is closed',
    why: 'As for connections: a page shows its token at once, and a client that does not makes room.',
  },
  strangersPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => 2 * seatsPerAddress,
    unit: 'WebSockets without a token at a time, per address',
    beyond: 'the oldest of them is closed',
    why: 'One machine cannot push out the strangers that come from others.',
  },
  strangerMillis: {
    session: 5000,
    audience: always(5000),
    unit: 'milliseconds that a WebSocket may take to show its token',
    beyond: 'the connection is closed',
    why: 'A page sends it with its first packet.',
  },
  strangerPackets: {
    session: 4,
    audience: always(4),
    unit: 'packets, of whatever type, before the token',
    beyond: 'the connection is closed',
    why: 'A page needs one.',
  },
  strangerBytes: {
    session: 4 * KiB,
    audience: always(4 * KiB),
    unit: 'bytes before the token',
    beyond: 'the connection is closed',
    why: 'A token has 43 characters, and the name that a follower comes back with has 60.',
  },
  strangerWaiting: {
    session: 16 * KiB,
    audience: always(16 * KiB),
    unit: 'bytes that wait to go out to a WebSocket without a token',
    beyond: 'the connection is closed',
    why: 'It is sent a greeting and a refusal.',
  },
  wrongTokensPerMinute: {
    session: 10,
    audience: null,
    unit: 'wrong tokens in a minute, in all',
    beyond: 'the refusal says so, with status 429; the right token is still accepted',
    why: 'A token has 256 bits and cannot be guessed at any rate, so refusing the right one would help only those who send wrong ones.',
  },

  // --- what comes in -------------------------------------------------------------------------------------------------
  packetBytes: {
    session: 64 * KiB,
    audience: always(4 * KiB),
    unit: 'bytes of one message',
    beyond: 'the connection is closed',
    why: 'The largest of a page are a manifest and a run of the class; an answer to a question has 60 bytes.',
  },
  packetFragments: {
    session: 64,
    audience: always(16),
    unit: 'frames that one message may come in',
    beyond: 'the connection is closed',
    why: 'Each is held until the message is whole, and may have one byte. Browsers send one.',
  },
  packetChunks: {
    session: 1024,
    audience: always(64),
    unit: 'pieces that one frame may arrive in',
    beyond: 'the connection is closed',
    why: 'Each is held until the frame is whole, and may have one byte. A network cuts 64 KiB into some 50.',
  },
  packetsPerSecond: {
    session: 2000,
    audience: always(50),
    unit: 'packets in a second, of whatever type, per socket',
    beyond: 'the connection is closed',
    why: 'A page acknowledges each message that it gets; at full speed those are some hundred.',
  },
  bytesIn: {
    session: 8 * MiB,
    audience: always(32 * KiB),
    unit: 'bytes that come in within ten seconds, per socket',
    beyond: 'the connection is closed',
    why: 'A page that sends its largest message ten times a second stays below it.',
  },
  bytesInPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => seatsPerAddress * 256 * KiB,
    unit: 'bytes that come in within ten seconds, per address',
    beyond: 'the connection that brings the next one is closed',
    why: 'Connecting anew does not reset the count. Requests for files count, too: a page makes some 50.',
  },
  bytesInAll: {
    session: 32 * MiB,
    audience: ({ seats }) => seats * 256 * KiB,
    unit: 'bytes that come in within ten seconds, in all',
    beyond: 'the connection that brings the next one is closed',
    why: 'The same for many connections at a time.',
  },

  // --- what goes out -------------------------------------------------------------------------------------------------
  waiting: {
    session: 16 * MiB,
    audience: always(MiB),
    unit: 'bytes that wait to go out to one socket',
    beyond: 'the connection is closed at once',
    why: 'Records wait elsewhere (see waitingRecords), so that here stand a snapshot, which has 0.8 MB for a node with 110 pods, and answers.',
  },
  waitingAll: {
    session: 64 * MiB,
    audience: always(64 * MiB),
    unit: 'bytes that wait to go out, in all',
    beyond: 'the connection for which most waits is closed at once',
    why: 'The memory that all clients together can fill.',
  },
  waitingRecords: {
    session: MiB,
    audience: null,
    unit: 'bytes that wait to go out to a client before records do',
    beyond: 'no records are sent to it until they have gone',
    why: 'A slow reader gets what it can take: what is not encoded yet costs nothing. All records that may be under way, 8,192, have some 2 MB.',
  },
  bytesOut: {
    session: 256 * MiB,
    audience: always(16 * MiB),
    unit: 'bytes that go out within ten seconds, per socket',
    beyond: 'no more records or views are sent to it until the ten seconds are over',
    why: 'A simulation at full speed makes some 5 MB in a second; a class gets a view of 300 bytes five times in one.',
  },
  bytesOutPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => seatsPerAddress * 16 * MiB,
    unit: 'bytes that go out within ten seconds, per address',
    beyond: 'no more views are sent there until the ten seconds are over, and files are refused with 429',
    why: 'All of a class may load the page at the same moment.',
  },
  bytesOutAll: {
    session: 512 * MiB,
    audience: ({ seats }) => seats * 16 * MiB,
    unit: 'bytes that go out within ten seconds, in all',
    beyond: 'no more records or views are sent until the ten seconds are over, and files are refused with 429',
    why: 'The processor time that encoding and sending may take.',
  },

  // --- the session ---------------------------------------------------------------------------------------------------
  clients: {
    session: 16,
    audience: null,
    unit: 'clients of a session at a time',
    beyond: 'the next one is refused with status 503',
    why: 'One person has a few pages open.',
  },
  commandsPerSecond: {
    session: 50,
    audience: null,
    unit: 'commands and hellos in a second, per client',
    beyond: 'each is refused, and not carried out',
    why: 'A key that is held down repeats 30 times in a second.',
  },
  hellosPerMinute: {
    session: 30,
    audience: null,
    unit: 'hellos in a minute, per client',
    beyond: 'each is refused, and answered with nothing else',
    why: 'Each is answered with a snapshot. A page says it once, and again when it has gone back further than it remembers.',
  },
  hellosAll: {
    session: 60,
    audience: null,
    unit: 'hellos within ten seconds, in all',
    beyond: 'the connection that says the next one is closed',
    why: 'Connecting anew does not reset the count. All clients may lose their connections at once, a few times.',
  },
  hellosUnacknowledged: {
    session: 16,
    audience: null,
    unit: 'hellos without an acknowledgement of records between them, per client',
    beyond: 'each is refused, and answered with nothing else',
    why: 'What was sent has to be acknowledged before more is sent, and that includes a snapshot.',
  },

  refusalsPerMinute: {
    session: 250,
    audience: null,
    unit: 'refused messages in a minute, per client',
    beyond: 'the connection is closed',
    why: 'Each refusal says why. A client that goes on all the same is not our page.',
  },

  // --- the class -----------------------------------------------------------------------------------------------------
  presenters: {
    session: 8,
    audience: null,
    unit: 'pages that may present at a time',
    beyond: 'the next one is refused with status 503',
    why: 'One person has a few pages open.',
  },
  presenterMessagesPerSecond: {
    session: 60,
    audience: null,
    unit: 'messages in a second, per page that may present',
    beyond: 'each is refused, and reaches nobody',
    why: 'Each may go to all followers. A page sends five views and ten places of its pointer in a second.',
  },
  seats: {
    session: null,
    audience: ({ seats }) => seats,
    unit: 'followers’ pages at a time, in all',
    beyond: 'the next one is refused with status 503',
    why: 'Chosen with --class-most.',
  },
  seatsPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => seatsPerAddress,
    unit: 'followers’ pages at a time, per address',
    beyond: 'the next one is refused with status 503',
    why: 'A school behind one router has one address, and a class of 40 must get in: 64 unless --class-per-address says otherwise.',
  },
  pagesPerFollower: {
    session: null,
    audience: always(4),
    unit: 'pages at a time of one follower',
    beyond: 'the next one is refused with status 503',
    why: 'One browser does not take the seats of others.',
  },
  newFollowersPerMinute: {
    session: null,
    audience: ({ seatsPerAddress }) => 2 * seatsPerAddress,
    unit: 'followers in a minute that were never here before, per address',
    beyond: 'the next one is refused with status 503',
    why: 'Each is a vote. A class comes once; a follower who comes back brings the name given before.',
  },
  wrongCodes: {
    session: null,
    audience: always(60),
    unit: 'wrong codes in a minute, in all',
    beyond: 'every code is refused with status 429 until the minute is over; the link is still accepted',
    why: 'A code is one of 148 million and lives for ten minutes: at this rate a guesser is right once in some two years.',
  },
  wrongCodesPerAddress: {
    session: null,
    audience: always(20),
    unit: 'wrong codes in a minute, per address',
    beyond: 'every code from there is refused with status 429 until the minute is over; the link is still accepted',
    why: 'One guesser does not use up what all others may mistype.',
  },
  votesPerAddress: {
    session: null,
    audience: ({ seatsPerAddress }) => seatsPerAddress,
    unit: 'answers to a question, and results of a stage, per address',
    beyond: 'the oldest one of a follower who has gone gives way; where all are here, the new one is refused',
    why: 'One answer for each seat: leaving and coming back under another name does not add one.',
  },
  hands: {
    session: null,
    audience: always(40),
    unit: 'raised hands at a time, in all',
    beyond: 'the next one is refused',
    why: 'Each holds a moment of 3,000 characters. A page that leaves takes its hand down.',
  },
  followerMessages: {
    session: null,
    audience: always(10),
    unit: 'messages in ten seconds, per follower’s page',
    beyond: 'each is refused',
    why: 'An answer may be changed a few times.',
  },
  followerRefusals: {
    session: null,
    audience: always(40),
    unit: 'refused messages, per follower’s page',
    beyond: 'the connection is closed',
    why: 'A client that goes on all the same is not our page.',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof limits;

/** The limits of one server. Infinite if the table has none. */
export type Allowance = Readonly<Record<LimitName, number>>;

/** The limits of the session's server. */
export const sessionAllowance: Allowance = allowance((limit) => limit.session);

/** Returns the limits of the server of a class of that size. */
export const audienceAllowance = (size: ClassSize): Allowance => allowance((limit) => limit.audience?.(size) ?? null);

function allowance(numberOf: (limit: Limit) => number | null): Allowance {
  const entries = Object.entries<Limit>(limits).map(([name, limit]) => [
    name,
    numberOf(limit) ?? Number.POSITIVE_INFINITY,
  ]);
  return Object.fromEntries(entries) as Allowance;
}
