// palimp in OpenCode, put here by `palimp install --client opencode`; `palimp uninstall --client opencode` removes it.
//
// It tells palimp's daemon what happens in sessions, and gives the agent what the daemon answers: memories at the start
// of a session, with a prompt and beside a tool's result, and why code that was removed is not to come back. It runs
// inside OpenCode, so it never waits longer than the deadlines below, keeps a bounded number of things, and throws for
// one reason alone: to deny a tool, which is how OpenCode is told so. Without a daemon it says nothing; the start of a
// session has one started by the program `palimp`, and what must not be lost is left in a file for it.
//
// The daemon speaks ZMTP 3.0 (rfc.zeromq.org/spec/23) on a Unix socket: palimp's docs/reference/protocol.md.

import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"

const PROGRAM = "palimp"

// Milliseconds that OpenCode waits for an answer, and for what is only recorded (palimp_protocol.hooks); the second
// goes on behind it, for longer than OpenCode's own work keeps this file from running.
const ANSWERED_MS = { "session.start": 300, "chat.message": 200, "tool.execute.before": 200 }
const RECORDED_MS = 100
const BEHIND_MS = 1_000
const TURN_MS = 20 // more for an answer that is there already, when OpenCode's own work took all the time

const KEPT = ["experimental.session.compacting", "session.end"] // wait in a file; of tools those in CHANGING
const CHANGING = ["edit", "write", "apply_patch", "patch", "multiedit"]
const HEARD = [...CHANGING, "read", "bash"] // tools that the daemon does something about
const OF_SESSIONS = ["session.created", "session.idle", "session.compacted", "session.deleted"]

const KEPT_OPEN_MS = 10_000 // a connection that is not used
const START_PAUSE_MS = 10_000 // between two attempts to have the daemon started
const BODY_BYTES_MAX = 2 * 1024 * 1024 // a larger edit is told without its texts
const TEXT_CHARACTERS_MAX = 100_000 // of a prompt in a body that is too large
const ERROR_CHARACTERS_MAX = 8_000 // of what a command said that failed
const FRAME_BYTES_MAX = 4 * 1024 * 1024
const SPOOL_BYTES_MAX = 32 * 1024 * 1024
const SOCKET_PATH_BYTES_MAX = 107 // a longer one is found by what the daemon wrote down
const REMEMBERED_MAX = 256 // sessions, and uses of tools, of which something is remembered
const NOTES_MAX = 8 // of a session: those of tools that failed wait for the next one
const ENDED_MAX = 16 // sessions that are said to be over when OpenCode ends, the last ones
const UNDER_WAY_MAX = 64 // requests at once; a further one is not sent

// Agents of OpenCode's own that do no work: they name a session, or shorten it.
const NO_WORK = /^You are a (?:title generator|context summarization agent|helpful AI assistant tasked with summar)/

// --- where things are: as palimp_protocol.env.paths and .address have it ------------------------------

function placesOf(env) {
  if ([env.PALIMP_HOME, env.PALIMP_SOCKET].some((given) => given && !given.startsWith("/"))) return null
  const home = (folder) => path.join(env.HOME || os.homedir(), folder)
  const base = (name, otherwise) => (env[name]?.startsWith("/") ? env[name] : home(otherwise))
  const state = env.PALIMP_HOME || path.join(base("XDG_STATE_HOME", ".local/state"), "palimp")
  const runtime = env.XDG_RUNTIME_DIR?.startsWith("/") && path.join(env.XDG_RUNTIME_DIR, "palimp", "palimp.sock")
  const usual = env.PALIMP_HOME ? path.join(state, "palimp.sock") : runtime || path.join(state, "run", "palimp.sock")
  const isNamed = Boolean(env.PALIMP_SOCKET)
  return { state, isNamed, socket: env.PALIMP_SOCKET || usual, data: base("XDG_DATA_HOME", ".local/share") }
}

function unless(failed, work) {
  try {
    return work()
  } catch {
    return failed
  }
}

// What tells the store from every other on this machine; "" when there is none yet.
function storeAt(state) {
  const at = unless(null, () => fs.statSync(path.join(state, "palimp.lock"), { bigint: true }))
  return at ? `${at.dev}:${at.ino}` : ""
}

// The sockets at which the daemon may listen: the usual one, and the one that it wrote down for this store.
function socketsOf(places) {
  const found = Buffer.byteLength(places.socket) <= SOCKET_PATH_BYTES_MAX ? [places.socket] : []
  const text = unless("", () => fs.readFileSync(path.join(places.state, "palimp.address"), "utf8"))
  const [written, store] = text.split("\n")
  if (written && store && store === storeAt(places.state) && !found.includes(written)) found.push(written)
  return found.filter((socket) => {
    const at = unless(null, () => fs.statSync(socket))
    return at?.isSocket() && [process.getuid(), 0].includes(at.uid)
  })
}

const namesIn = (folder) => unless([], () => fs.readdirSync(folder))

// OpenCode's database, in which the session is (palimp_clients/opencode/transcript.py reads it).
function transcriptOf(env, places, session) {
  const folder = path.join(places.data, "opencode")
  const others = () => namesIn(folder).filter((name) => /^opencode-.*\.db$/.test(name))
  const names = env.OPENCODE_DB ? [env.OPENCODE_DB] : ["opencode.db", ...others()]
  const database = names.map((name) => path.resolve(folder, name)).find((name) => fs.existsSync(name))
  return database ? `${database}#${session}` : ""
}

// --- a connection: ZMTP, and the frames of palimp_protocol.wire.frames --------------------------------

const [MORE, LONG, COMMAND] = [1, 2, 4]
const REQUEST = Buffer.from([1, 3]) // the version of the protocol, and the kind
const REPLY = 4
const MECHANISM = Buffer.concat([Buffer.from("NULL"), Buffer.alloc(16)])
const GREETING = Buffer.concat([Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0]), MECHANISM, Buffer.alloc(32)])
const READY = Buffer.from("\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER", "latin1")

function framed(flags, body) {
  if (body.length <= 255) return Buffer.concat([Buffer.from([flags, body.length]), body])
  const head = Buffer.alloc(9)
  head[0] = flags | LONG
  head.writeBigUInt64BE(BigInt(body.length), 1)
  return Buffer.concat([head, body])
}

// Takes the bytes of a connection in pieces of any size. Throws at what is no ZMTP.
class Decoder {
  data = Buffer.alloc(0)
  parts = []
  isGreeted = false

  // What became whole: {command}s, and messages as {parts}.
  feed(chunk) {
    this.data = Buffer.concat([this.data, chunk])
    const found = []
    for (let frame; this.greeted() && (frame = this.next()); ) {
      if (frame.flags & COMMAND) found.push({ command: frame.body })
      else if (this.parts.push(frame.body) > 8) throw new Error("no message")
      else if (!(frame.flags & MORE)) found.push({ parts: this.parts.splice(0) })
    }
    return found
  }

  greeted() {
    if (this.isGreeted || this.data.length < GREETING.length) return this.isGreeted
    const isZmtp = this.data[0] === 0xff && this.data[10] >= 3 && this.data.subarray(12, 32).equals(MECHANISM)
    if (!isZmtp) throw new Error("no ZMTP 3")
    this.data = this.data.subarray(GREETING.length)
    return (this.isGreeted = true)
  }

  next() {
    const head = this.data.length && this.data[0] & LONG ? 9 : 2
    if (this.data.length < head) return null
    const size = head === 9 ? Number(this.data.readBigUInt64BE(1)) : this.data[1]
    if (size > FRAME_BYTES_MAX) throw new Error("too large")
    if (this.data.length < head + size) return null
    const frame = { flags: this.data[0], body: this.data.subarray(head, head + size) }
    this.data = this.data.subarray(head + size)
    return frame
  }
}

// A connection to the daemon: kept a while for what comes next, since each turn of OpenCode's own loop takes time.
class Connection {
  decoder = new Decoder()
  asked = new Map() // by the id of a request, who waits for its reply
  unsent = [] // until READY: for what comes sooner, libzmq ends the connection
  isOpen = true

  constructor(socket) {
    this.stream = net.connect({ path: socket })
    this.stream.on("error", () => this.close())
    this.stream.on("close", () => this.close())
    this.stream.on("connect", () => this.stream.write(Buffer.concat([GREETING, framed(COMMAND, READY)])))
    this.stream.on("data", (chunk) => unless(null, () => this.decoder.feed(chunk).map(this.take, this)) ?? this.close())
    this.rest()
  }

  take({ command, parts }) {
    const name = command?.subarray(1, 1 + command[0]).toString("latin1")
    if (name === "ERROR") throw new Error("refused")
    // Two bytes say how long the other side waits; what follows comes back.
    const pong = () => Buffer.concat([Buffer.from("\x04PONG"), command.subarray(7, 23)])
    if (name === "PING") this.stream.write(framed(COMMAND, pong()))
    if (name === "READY" && this.unsent) {
      this.stream.write(Buffer.concat(this.unsent))
      this.unsent = null
    }
    if (parts?.length === 3)
      this.asked.get(parts[1].toString("hex"))?.(parts[0][1] === REPLY ? JSON.parse(parts[2].toString()) : null)
  }

  // Closes the connection when it was not used for KEPT_OPEN_MS.
  rest() {
    clearTimeout(this.resting)
    this.resting = setTimeout(() => (this.asked.size ? this.rest() : this.close()), KEPT_OPEN_MS)
    this.resting.unref?.()
  }

  // The reply to `body`, parsed; null when none comes until the clock shows `endsAt`.
  ask(id, body, endsAt) {
    const message = Buffer.concat([framed(MORE, REQUEST), framed(MORE, id), framed(0, body)])
    if (this.unsent) this.unsent.push(message)
    else this.stream.write(message)
    this.rest()
    return new Promise((resolve) => {
      const done = (reply) => (clearTimeout(timer), this.asked.delete(id.toString("hex")), resolve(reply))
      const end = () => (this.unsent ? this.close() : done(null)) // it does not even greet
      const late = () => (timer = setTimeout(end, TURN_MS))
      let timer = setTimeout(late, Math.max(1, endsAt - performance.now()))
      this.asked.set(id.toString("hex"), done)
    })
  }

  close() {
    this.isOpen = false
    clearTimeout(this.resting)
    this.stream.destroy()
    for (const done of [...this.asked.values()]) done(null)
  }
}

let spooledAt = 0n // nanoseconds; two files of a millisecond are in the order in which they were left

// Leaves a request for the daemon in a file, whole or not at all, as palimp_shim.events.spool does.
function spool(state, id, body) {
  const folder = path.join(state, "spool")
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const sizes = namesIn(folder).map((name) => unless(0, () => fs.statSync(path.join(folder, name)).size))
  if (sizes.reduce((sum, size) => sum + size, body.length) > SPOOL_BYTES_MAX) return
  const now = BigInt(Date.now()) * 1_000_000n
  spooledAt = now > spooledAt ? now : spooledAt + 1n
  const name = path.join(folder, `${String(spooledAt).padStart(20, "0")}-${id.toString("hex")}`)
  fs.writeFileSync(`${name}.partial`, body, { mode: 0o600, flag: "wx" })
  fs.renameSync(`${name}.partial`, `${name}.json`)
}

// --- the plugin ---------------------------------------------------------------------------------------

const written = (value) => Buffer.from(JSON.stringify(value))

// The request as it is sent; where it is too large, without the texts that make it so.
function bodyOf(call) {
  const body = written(call)
  if (body.length <= BODY_BYTES_MAX) return body
  const { input, output = {}, ...rest } = call.arguments.input
  const cut = (value) => (typeof value === "string" ? value.slice(0, TEXT_CHARACTERS_MAX) : undefined)
  const about = (args) => args && { filePath: cut(args.filePath), command: cut(args.command) }
  const parts = output.parts?.slice(0, 8).map((part) => ({ ...part, text: cut(part.text) }))
  const short = { input: { ...input, args: about(input.args) }, output: { args: about(output.args), parts } }
  return written({ ...call, arguments: { ...call.arguments, input: { ...rest, ...short, isCut: true } } })
}

function remember(map, key, value) {
  map.delete(key)
  map.set(key, value)
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value)
}

// An id as OpenCode makes them, which stands behind those of the same millisecond.
function partId() {
  const time = (BigInt(Date.now()) * 0x1000n + 0xfffn) & 0xffffffffffffn
  return `prt_${time.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`
}

export const Palimp = async ({ directory }) => {
  const env = { ...process.env }
  const places = placesOf(env)
  if (env.PALIMP_HOOKS_OFF || !places || !process.getuid) return {}
  const patience = Math.max(1, /^\d{1,6}$/.test(env.PALIMP_HOOKS_PATIENCE ?? "") && Number(env.PALIMP_HOOKS_PATIENCE))
  const parents = new Map() // of a subagent's session, whose it is
  const created = new Map() // sessions that began in this process
  const live = new Map() // sessions in which something was said
  const starts = new Map() // of a session, what it was told at its start: a promise of a text
  const notes = new Map() // of a session, what the agent is told with the next result of a tool
  const connections = new Map() // by the socket
  const underWay = new Set()
  let startedAt = -START_PAUSE_MS

  // Tells the daemon of an event of `session`; the answer has the texts `context` and `denial`, and `isTaken`.
  async function tell(event, session, told) {
    const nothing = { context: "", denial: "", isTaken: false }
    const of = { parentID: parents.get(session), directory, transcript: transcriptOf(env, places, session) }
    const input = { ...told, input: { ...told.input, sessionID: session }, ...of }
    const call = {
      operation: "hook",
      arguments: { event, input, sent_at: Date.now(), via: "opencode", dialect: "opencode", folder: directory },
      store: places.isNamed ? "" : storeAt(places.state),
    }
    const id = Buffer.concat([randomBytes(16), Buffer.alloc(8)])
    const body = bodyOf(call)
    const endsAt = performance.now() + (ANSWERED_MS[event] * patience || BEHIND_MS)
    let reply = null
    for (const socket of underWay.size > UNDER_WAY_MAX ? [] : socketsOf(places)) {
      if (!connections.get(socket)?.isOpen) remember(connections, socket, new Connection(socket))
      reply = await connections.get(socket).ask(id, body, endsAt)
      if (reply || performance.now() >= endsAt) break
    }
    if (reply) return { ...nothing, ...(reply.output ? JSON.parse(reply.output) : {}), isTaken: true }
    const isEdit = event === "tool.execute.after" && CHANGING.includes(told.input.tool)
    if (isEdit || KEPT.includes(event)) spool(places.state, id, body)
    if (event === "session.start") haveStarted(input)
    return nothing
  }

  // The daemon is not waited for: the next request to the model has what it says.
  function haveStarted(input) {
    if (performance.now() < startedAt + START_PAUSE_MS) return
    startedAt = performance.now()
    const options = { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/", env }
    const child = spawn(PROGRAM, ["hook", "session.start", "--client", "opencode"], options)
    for (const stream of [child, child.stdin]) stream.on("error", () => {})
    child.stdin.end(written(input))
    child.unref()
  }

  // What a session is told at its start, asked for until a daemon says it.
  function start(session, source) {
    const known = starts.get(session)
    if (known) return known
    const told = tell("session.start", session, { input: {}, source }).then(({ context, isTaken }) => {
      if (!isTaken) starts.delete(session)
      return context
    })
    remember(starts, session, told)
    return told
  }
  const started = (session) => start(session, created.has(session) ? "startup" : "resume")
  // Does something that loses OpenCode nothing when it fails, and that its end waits for.
  function quietly(work) {
    const running = Promise.resolve()
      .then(work)
      .catch(() => {})
      .finally(() => underWay.delete(running))
    underWay.add(running)
    return running
  }

  // Has something recorded, and waits for it no longer than the event may take.
  function record(event, session, told) {
    const late = new Promise((resolve) => setTimeout(resolve, RECORDED_MS * patience))
    return Promise.race([quietly(() => tell(event, session, told)), late])
  }

  async function heard(type, session, info) {
    if (type === "session.created")
      return info?.parentID ? remember(parents, session, info.parentID) : remember(created, session, true)
    if (parents.has(session)) return
    if (type === "session.idle") return record("session.idle", session, { input: {} })
    starts.delete(session)
    if (type === "session.compacted") return start(session, "compact")
    live.delete(session)
    return record("session.end", session, { input: {}, reason: "deleted" })
  }

  return {
    event: async ({ event: { type, properties } }) => {
      const session = properties?.sessionID ?? properties?.info?.id
      if (OF_SESSIONS.includes(type) && session) await quietly(() => heard(type, session, properties.info))
    },

    "chat.message": (_, { message: { id: messageID, sessionID }, parts }) =>
      quietly(async () => {
        if (parents.has(sessionID)) return
        remember(live, sessionID, true)
        await started(sessionID)
        const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
        const output = { parts: typed.map(({ type, text }) => ({ type, text })) }
        const { context: text } = await tell("chat.message", sessionID, { input: {}, output })
        if (text) parts.push({ id: partId(), messageID, sessionID, type: "text", synthetic: true, text })
      }),

    "experimental.chat.system.transform": ({ sessionID }, { system }) =>
      quietly(async () => {
        if (!sessionID || parents.has(sessionID) || NO_WORK.test(system[0] ?? "")) return
        const text = await started(sessionID)
        if (text) system.push(text)
      }),

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!HEARD.includes(tool)) return
      let denial = ""
      await quietly(async () => {
        const answer = await tell("tool.execute.before", sessionID, { input: { tool, callID }, output: { args } })
        denial = answer.denial
        const known = notes.get(sessionID) ?? []
        if (answer.context) remember(notes, sessionID, [...known, answer.context].slice(-NOTES_MAX))
      })
      if (denial) throw new Error(denial)
    },

    "tool.execute.after": ({ tool, sessionID, callID, args }, output) =>
      quietly(async () => {
        const exit = output?.metadata?.exit
        const isFailure = tool === "bash" && exit && typeof output.output === "string"
        const about = { metadata: { exit }, output: isFailure ? output.output.slice(-ERROR_CHARACTERS_MAX) : undefined }
        if (typeof output?.output === "string" && notes.has(sessionID)) {
          output.output = [output.output, ...notes.get(sessionID)].join("\n\n")
          notes.delete(sessionID)
        }
        if (!HEARD.includes(tool) || tool === "read") return
        await record("tool.execute.after", sessionID, { input: { tool, callID, args }, output: about })
      }),

    "experimental.session.compacting": ({ sessionID }) =>
      quietly(() => parents.has(sessionID) || record("experimental.session.compacting", sessionID, { input: {} })),

    dispose: async () => {
      await Promise.all([...underWay])
      const ended = [...live.keys()].slice(-ENDED_MAX)
      const told = { input: {}, reason: "dispose" }
      await Promise.all(ended.map((session) => quietly(() => tell("session.end", session, told))))
      connections.forEach((connection) => connection.close())
    },
  }
}
