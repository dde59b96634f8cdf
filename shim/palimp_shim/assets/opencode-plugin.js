// palimp in OpenCode, put here by `palimp install --client opencode`; `palimp uninstall --client opencode` takes it away.
//
// It tells palimp's daemon what happens in sessions, and gives the agent what the daemon answers: memories at the start of a
// session, with a prompt and beside a tool's result, and why code that was removed is not to come back. It runs inside
// OpenCode, so it never waits longer than the deadlines below, keeps a bounded number of things, and throws for one reason
// alone: to deny a tool, which is how OpenCode is told so. Without a daemon it says nothing; the start of a session has one
// started by the program `palimp`, and what must not be lost is left in a file for it.
//
// The daemon speaks ZMTP 3.0 (rfc.zeromq.org/spec/23) on a Unix socket: palimp's docs/reference/protocol.md.

import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"

const PROGRAM = "palimp"

// Milliseconds that OpenCode waits at each event, as at other clients' hooks (palimp_protocol.hooks). What is only
// recorded goes on behind it.
const DEADLINES_MS = {
  "session.start": 300,
  "chat.message": 200,
  "tool.execute.before": 200,
  "tool.execute.after": 100,
  "session.idle": 100,
  "experimental.session.compacting": 100,
  "session.end": 100,
}
const CHANGING = ["edit", "write", "apply_patch", "patch", "multiedit"]
const HEARD = [...CHANGING, "read", "bash"] // tools that the daemon does something about
const ANSWERED = ["session.start", "chat.message", "tool.execute.before"] // events after which nobody needs a late answer
const KEPT = ["experimental.session.compacting", "session.end"] // events that wait in a file; of tools those in CHANGING
const RECORDED_MS = 1_000 // for what is only recorded: longer than OpenCode's own work keeps this file from running
const KEPT_OPEN_MS = 10_000 // a connection that is not used
const TURN_MS = 20 // more for an answer that is there already, when OpenCode's own work took all the time

const BODY_BYTES_MAX = 2 * 1024 * 1024 // a larger edit is told without its texts
const TEXT_CHARACTERS_MAX = 100_000 // of a prompt in a body that is too large
const ERROR_CHARACTERS_MAX = 8_000 // of what a command said that failed
const FRAME_BYTES_MAX = 4 * 1024 * 1024
const SPOOL_BYTES_MAX = 32 * 1024 * 1024
const SOCKET_PATH_BYTES_MAX = 107 // a longer one is found by what the daemon wrote down
const REMEMBERED_MAX = 256 // sessions, and uses of tools, of which something is remembered
const ENDED_MAX = 16 // sessions that are said to be over when OpenCode ends, the last ones
const UNDER_WAY_MAX = 64 // requests at once; a further one is not sent
const START_PAUSE_MS = 10_000 // between two attempts to have the daemon started

// Agents of OpenCode's own that do no work: they name a session, or shorten it.
const NO_WORK = /^You are a (?:title generator|context summarization agent|helpful AI assistant tasked with summarizing)/

// --- where things are: as palimp_protocol.env.paths and .address have it ------------------------------

function placesOf(env) {
  if ([env.PALIMP_HOME, env.PALIMP_SOCKET].some((given) => given && !given.startsWith("/"))) return null
  const home = env.HOME || os.homedir()
  const base = (name, otherwise) => (env[name]?.startsWith("/") ? env[name] : path.join(home, otherwise))
  const state = env.PALIMP_HOME || path.join(base("XDG_STATE_HOME", ".local/state"), "palimp")
  const runtime = env.XDG_RUNTIME_DIR?.startsWith("/") && path.join(env.XDG_RUNTIME_DIR, "palimp", "palimp.sock")
  const usual = env.PALIMP_HOME ? path.join(state, "palimp.sock") : runtime || path.join(state, "run", "palimp.sock")
  return { state, socket: env.PALIMP_SOCKET || usual, isNamed: Boolean(env.PALIMP_SOCKET), data: base("XDG_DATA_HOME", ".local/share") }
}

// What tells the store from every other on this machine; "" when there is none yet.
function storeAt(state) {
  try {
    const at = fs.statSync(path.join(state, "palimp.lock"), { bigint: true })
    return `${at.dev}:${at.ino}`
  } catch {
    return ""
  }
}

// The sockets at which the daemon may listen: the usual one, and the one that it wrote down for this store.
function socketsOf(places) {
  const found = Buffer.byteLength(places.socket) <= SOCKET_PATH_BYTES_MAX ? [places.socket] : []
  try {
    const [written, store] = fs.readFileSync(path.join(places.state, "palimp.address"), "utf8").split("\n")
    if (written && store && store === storeAt(places.state) && !found.includes(written)) found.push(written)
  } catch {
    // nobody wrote one down
  }
  return found.filter(isOurs)
}

function isOurs(socket) {
  try {
    const at = fs.statSync(socket)
    return at.isSocket() && (at.uid === process.getuid() || at.uid === 0)
  } catch {
    return false
  }
}

// OpenCode's database, in which the session is (text/transcripts/opencode.py reads it).
function transcriptOf(env, places, session) {
  const folder = path.join(places.data, "opencode")
  const names = env.OPENCODE_DB ? [env.OPENCODE_DB] : ["opencode.db", ...namesIn(folder).filter((name) => /^opencode-.*\.db$/.test(name))]
  const database = names.map((name) => path.resolve(folder, name)).find((name) => fs.existsSync(name))
  return database ? `${database}#${session}` : ""
}

function namesIn(folder) {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

// --- one request: ZMTP, the frames of palimp_protocol.wire.frames -------------------------------------

const MORE = 1
const LONG = 2
const COMMAND = 4
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

  // What is in it since: "ready", answers to heartbeats as {send}, and messages as {parts}.
  feed(chunk) {
    this.data = Buffer.concat([this.data, chunk])
    const found = []
    if (!this.isGreeted) {
      if (this.data.length < GREETING.length) return found
      if (this.data[0] !== 0xff || this.data[10] < 3 || !this.data.subarray(12, 32).equals(MECHANISM)) throw new Error("no ZMTP 3")
      this.data = this.data.subarray(GREETING.length)
      this.isGreeted = true
    }
    for (;;) {
      const isLong = this.data.length > 0 && (this.data[0] & LONG) !== 0
      const head = isLong ? 9 : 2
      if (this.data.length < head) return found
      const size = isLong ? Number(this.data.readBigUInt64BE(1)) : this.data[1]
      if (size > FRAME_BYTES_MAX) throw new Error("too large")
      if (this.data.length < head + size) return found
      const [flags, body] = [this.data[0], this.data.subarray(head, head + size)]
      this.data = this.data.subarray(head + size)
      if (flags & COMMAND) {
        if (body.subarray(0, 6).equals(READY.subarray(0, 6))) found.push({ isReady: true })
        else if (body.subarray(0, 5).toString("latin1") === "\x04PING")
          found.push({ send: framed(COMMAND, Buffer.concat([Buffer.from("\x04PONG", "latin1"), body.subarray(7, 23)])) })
        else if (body.subarray(0, 6).toString("latin1") === "\x05ERROR") throw new Error("refused")
        continue
      }
      this.parts.push(body)
      if (this.parts.length > 8) throw new Error("no message")
      if (!(flags & MORE)) found.push({ parts: this.parts.splice(0) })
    }
  }
}

// A connection to the daemon: kept a while for what comes next, since each turn of OpenCode's own loop takes time.
class Connection {
  decoder = new Decoder()
  asked = new Map() // by the id of a request, who waits for its reply
  unsent = [] // until READY: what comes sooner, libzmq ends the connection for
  isOpen = true

  constructor(socket) {
    this.stream = net.connect({ path: socket })
    this.stream.on("error", () => this.close())
    this.stream.on("close", () => this.close())
    this.stream.on("connect", () => this.stream.write(Buffer.concat([GREETING, framed(COMMAND, READY)])))
    this.stream.on("data", (chunk) => {
      try {
        this.decoder.feed(chunk).forEach((found) => this.take(found))
      } catch {
        this.close()
      }
    })
    this.rest()
  }

  take({ isReady, send, parts }) {
    if (send) this.stream.write(send)
    if (isReady && this.unsent) this.stream.write(Buffer.concat(this.unsent))
    if (isReady) this.unsent = null
    if (parts?.length !== 3) return
    const key = parts[1].toString("hex")
    this.asked.get(key)?.(parts[0][1] === REPLY ? JSON.parse(parts[2].toString()) : null)
    this.asked.delete(key)
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
      const done = (reply) => {
        clearTimeout(timer)
        this.asked.delete(id.toString("hex"))
        resolve(reply)
      }
      const late = () => (timer = setTimeout(giveUp, TURN_MS))
      const giveUp = () => (this.unsent ? this.close() : done(null)) // it does not even greet
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

// Leaves a request for the daemon in a file, whole or not at all, as shim/palimp_shim/hooks/spool.py does.
function spooled(state, id, body) {
  const folder = path.join(state, "spool")
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const used = namesIn(folder).reduce((sum, name) => sum + (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
  if (used + body.length > SPOOL_BYTES_MAX) return
  const name = `${String(BigInt(Date.now()) * 1_000_000n).padStart(20, "0")}-${id.toString("hex")}`
  fs.writeFileSync(path.join(folder, `${name}.partial`), body, { mode: 0o600, flag: "wx" })
  fs.renameSync(path.join(folder, `${name}.partial`), path.join(folder, `${name}.json`))
}

// --- the plugin ---------------------------------------------------------------------------------------

const wellFormed = (_, value) => (typeof value === "string" && value.toWellFormed ? value.toWellFormed() : value)

// The request as it is sent; where it is too large, without the texts that make it so.
function bodyOf(call) {
  const whole = Buffer.from(JSON.stringify(call, wellFormed))
  if (whole.length <= BODY_BYTES_MAX) return whole
  const { input, output = {}, ...rest } = call.arguments.input
  const cut = (value) => (typeof value === "string" ? value.slice(0, TEXT_CHARACTERS_MAX) : undefined)
  const about = (args) => args && { filePath: cut(args.filePath), command: cut(args.command) }
  const short = {
    input: { ...input, args: about(input.args) },
    output: { args: about(output.args), parts: output.parts?.slice(0, 8).map((part) => ({ ...part, text: cut(part.text) })) },
  }
  return Buffer.from(JSON.stringify({ ...call, arguments: { ...call.arguments, input: { ...rest, ...short, isCut: true } } }, wellFormed))
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
  const patience = /^\d{1,6}$/.test(env.PALIMP_HOOKS_PATIENCE ?? "") ? Math.max(1, Number(env.PALIMP_HOOKS_PATIENCE)) : 1
  const parents = new Map() // of a subagent's session, whose it is
  const created = new Map() // sessions that began in this process
  const live = new Map() // sessions in which something was said
  const starts = new Map() // of a session, what it was told at its start: a promise of a text
  const notes = new Map() // of a use of a tool, what the agent is told with its result
  const connections = new Map() // by the socket: two at most
  const underWay = new Set()
  let startedAt = -START_PAUSE_MS

  // Tells the daemon of an event of `session`; the answer has the texts `context` and `denial`, and `isTaken`.
  async function tell(event, session, told) {
    const nothing = { context: "", denial: "", isTaken: false }
    const transcript = transcriptOf(env, places, session)
    const given = { ...told, input: { ...told.input, sessionID: session }, parentID: parents.get(session), directory, transcript }
    const call = {
      operation: "hook",
      arguments: { event, input: given, sent_at: Date.now(), via: "opencode", dialect: "opencode", folder: directory },
    }
    const store = places.isNamed ? "" : storeAt(places.state)
    const id = Buffer.concat([randomBytes(16), Buffer.alloc(8)])
    const body = bodyOf(store ? { ...call, store } : call)
    const endsAt = performance.now() + (ANSWERED.includes(event) ? DEADLINES_MS[event] * patience : RECORDED_MS)
    let reply = null
    for (const socket of underWay.size > UNDER_WAY_MAX ? [] : socketsOf(places)) {
      if (!connections.get(socket)?.isOpen) connections.set(socket, new Connection(socket))
      reply = await connections.get(socket).ask(id, body, endsAt)
      if (reply || performance.now() >= endsAt) break
    }
    if (!reply) {
      if (KEPT.includes(event) || (event === "tool.execute.after" && CHANGING.includes(told.input.tool))) spooled(places.state, id, body)
      if (event === "session.start") haveStarted(given)
      return nothing
    }
    return { ...nothing, ...(reply.output ? JSON.parse(reply.output) : {}), isTaken: true }
  }

  // The daemon is not waited for: the next request to the model has what it says.
  function haveStarted(given) {
    if (performance.now() < startedAt + START_PAUSE_MS) return
    startedAt = performance.now()
    const options = { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/", env }
    const child = spawn(PROGRAM, ["hook", "session.start", "--client", "opencode"], options)
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(given, wellFormed))
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

  // Has something recorded, and waits for it no longer than the event may take.
  function record(event, session, told) {
    const recorded = quietly(() => tell(event, session, told))
    return Promise.race([recorded, new Promise((resolve) => setTimeout(resolve, DEADLINES_MS[event] * patience))])
  }

  // Does something that loses OpenCode nothing when it fails, and that its end waits for.
  function quietly(work) {
    const running = Promise.resolve()
      .then(work)
      .catch(() => {})
      .finally(() => underWay.delete(running))
    underWay.add(running)
    return running
  }

  async function heard({ type, properties = {} }) {
    const session = properties.sessionID ?? properties.info?.id
    if (typeof session !== "string") return
    if (type === "session.created") {
      if (properties.info?.parentID) remember(parents, session, properties.info.parentID)
      else remember(created, session, true)
    } else if (parents.has(session)) {
      return
    } else if (type === "session.idle") {
      await record("session.idle", session, { input: {} })
    } else if (type === "session.compacted") {
      starts.delete(session)
      await start(session, "compact")
    } else if (type === "session.deleted") {
      starts.delete(session)
      live.delete(session)
      await record("session.end", session, { input: {}, reason: "deleted" })
    }
  }

  return {
    event: ({ event }) => quietly(() => heard(event)),

    "chat.message": (_, { message, parts }) =>
      quietly(async () => {
        if (parents.has(message.sessionID)) return
        remember(live, message.sessionID, true)
        await started(message.sessionID)
        const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
        const output = { parts: typed.map(({ type, text }) => ({ type, text })) }
        const { context: text } = await tell("chat.message", message.sessionID, { input: {}, output })
        const { id: messageID, sessionID } = message
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
        if (answer.context) remember(notes, callID, answer.context)
      })
      if (denial) throw new Error(denial)
    },

    "tool.execute.after": ({ tool, sessionID, callID, args }, output) =>
      quietly(async () => {
        const note = notes.get(callID)
        notes.delete(callID)
        const exit = output?.metadata?.exit
        const said = tool === "bash" && exit && typeof output.output === "string" ? output.output.slice(-ERROR_CHARACTERS_MAX) : undefined
        if (note && typeof output?.output === "string") output.output += `\n\n${note}`
        if (!HEARD.includes(tool) || tool === "read") return
        await record("tool.execute.after", sessionID, { input: { tool, callID, args }, output: { metadata: { exit }, output: said } })
      }),

    "experimental.session.compacting": ({ sessionID }) =>
      quietly(async () => {
        if (!parents.has(sessionID)) await record("experimental.session.compacting", sessionID, { input: {} })
      }),

    dispose: async () => {
      await Promise.all([...underWay])
      const ended = [...live.keys()].slice(-ENDED_MAX)
      await Promise.all(ended.map((session) => quietly(() => tell("session.end", session, { input: {}, reason: "dispose" }))))
      connections.forEach((connection) => connection.close())
    },
  }
}
