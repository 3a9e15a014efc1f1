import { lines, type Row } from './panels.ts';
import { inFiveMinutes, of, ofNode, perSecond } from './queries.ts';

/** Mails, keys and what is charged. */
export const accounts: Row = {
  title: 'Mails and keys',
  panels: [
    lines({
      title: 'Mails by outcome, in 5 minutes',
      description:
        'retried, then given_up: the mail server does not take them; the gateway’s log has its answer. held_back: an address had its share.',
      unit: 'none',
      queries: { '{{outcome}}': inFiveMinutes('mails_total', 'outcome') },
    }),
    lines({
      title: 'API keys, in 5 minutes',
      description:
        'Issued and revoked. Many more than usual: somebody registers in bulk; see REGISTRATIONS_PER_HOUR_MAX.',
      unit: 'none',
      queries: { '{{event}}': inFiveMinutes('api_keys_total', 'event') },
    }),
    lines({
      title: 'Operations lost, in 5 minutes',
      description:
        'Answered, and not counted for their owners: the database was away for longer than a gateway holds them.',
      unit: 'none',
      queries: { '': `sum(increase(${of('usage_operations_lost_total')}[5m]))` },
    }),
  ],
};

/** Document opens, and the counting of them. */
export const telemetry: Row = {
  title: 'Telemetry',
  panels: [
    lines({
      title: 'Opens accepted, opens and operations counted',
      description:
        'Counted follows accepted by a second, and has the operations of the API with it. Below it for long: see “Oldest not counted”.',
      unit: 'ops',
      queries: {
        accepted: `sum(rate(${of('telemetry_events_total')}[$__rate_interval]))`,
        counted: `sum(rate(${of('telemetry_counted_total')}[$__rate_interval]))`,
      },
    }),
    lines({
      title: 'Oldest not counted',
      description:
        'Above a minute: no consumer runs, or it fails; its log says on what. Nothing is lost: it is counted later.',
      unit: 's',
      queries: { '': `max(${of('telemetry_inbox_oldest_seconds')})` },
    }),
    lines({
      title: 'Answers of collectors by status',
      description:
        '202 is accepted; 429: a license over its bound; 503: the database is away, and these opens are lost, for editors do not send them again.',
      unit: 'reqps',
      queries: { '{{status}}': perSecond('telemetry_requests_total', 'status') },
    }),
    lines({
      title: 'Held bytes',
      description: 'Of opens that wait for the database. Growing: the database is slow or away.',
      unit: 'bytes',
      queries: { '{{instance}}': of('telemetry_held_bytes') },
    }),
    lines({
      title: 'Writes failed, rows set aside, in 5 minutes',
      description:
        'Failed: their senders got 503; look at the database. Set aside: rows that cannot be counted, kept in usage_inbox_aside; the log has their ids.',
      unit: 'none',
      queries: {
        'writes failed': `sum(increase(${of('telemetry_write_failures_total')}[5m]))`,
        'rows set aside': `sum(increase(${of('telemetry_set_aside_total')}[5m]))`,
      },
    }),
  ],
};

/** What every process needs of its machine. */
export const processes: Row = {
  title: 'Processes',
  panels: [
    lines({
      title: 'CPU',
      description:
        'Cores, without the engines of converters. At the limit of its container a process is throttled: raise it, or add processes.',
      unit: 'none',
      queries: {
        '{{service}} {{instance}}': ofNode(
          (chosen) => `rate(process_cpu_seconds_total${chosen}[$__rate_interval])`,
        ),
      },
    }),
    lines({
      title: 'Memory',
      description:
        'Resident, without the engines of converters. Growing for hours without traffic growing: restart that process, and report it.',
      unit: 'bytes',
      queries: { '{{service}} {{instance}}': ofNode((chosen) => `process_resident_memory_bytes${chosen}`) },
    }),
    lines({
      title: 'Event loop lag, p99',
      description:
        'How late a process gets to its next task. Above 0.5 s it answers nobody in time: it lacks CPU.',
      unit: 's',
      queries: {
        '{{service}} {{instance}}': ofNode((chosen) => `nodejs_eventloop_lag_p99_seconds${chosen}`),
      },
    }),
    lines({
      title: 'Open descriptors',
      description:
        'Files, sockets and pipes. Growing without traffic growing: a leak; restart that process, and report it.',
      unit: 'none',
      queries: { '{{service}} {{instance}}': ofNode((chosen) => `process_open_fds${chosen}`) },
    }),
    lines({
      title: 'Restarts',
      description:
        'Starts of a process at the same address in the hour before. More than a roll-out: read the end of its log.',
      unit: 'none',
      queries: {
        '{{service}} {{instance}}': ofNode((chosen) => `changes(process_start_time_seconds${chosen}[1h])`),
      },
    }),
  ],
};
