"""`palimp team members`, `invite`, `revoke`, `trust`."""

from collections.abc import Mapping
from functools import partial

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.memories.recording import require_person
from palimp_daemon.features.team.team_places import members_at
from palimp_daemon.features.team.team_rounds import in_transport
from palimp_daemon.features.team.team_service import Teams
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables import team_tables, team_trust
from palimp_daemon.store.tables.team_tables import TeamRow
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.team_messages import SHARING
from palimp_protocol.messages.team_people import TeamInvitation, TeamPeople, TeamPeopleList, TeamPerson


class People:
    """The people of this machine's team."""

    def __init__(self, teams: Teams) -> None:
        self._teams = teams

    async def answer(self, call: Invocation) -> TeamPeopleList:
        """Execute the request, and list the people.

        Raises:
            PalimpError: this machine has no team, or the server refuses.
        """
        request: TeamPeople = call.request
        if request.action != "members":
            require_person(call.caller, SHARING)
        team = await self._teams.team()
        members = await in_transport(partial(members_at, team.place))
        project = await self._project(call.caller) if request.is_only_here else members.EVERY_PROJECT
        invitation = None
        if request.action == "invite":
            invite = partial(members.invite, team.place, request.login, request.role, project)
            invitation = TeamInvitation(**(await in_transport(invite))._asdict())
        elif request.action == "revoke":
            await in_transport(partial(members.remove_member, team.place, request.login, project))
        elif request.action in ("trust", "distrust"):
            await self._trust(team, request)
        return await self._list(team, invitation)

    async def _trust(self, team: TeamRow, request: TeamPeople) -> None:
        people = (await self._list(team, None)).people
        named = [each for each in people if each.login == request.login]
        if not named:
            hint = "`palimp team members` lists them."
            raise PalimpError(ErrorCode.NOT_FOUND, f"{request.login} is no member of the team.", hint)
        if named[0].is_you:
            raise RequestError(f"{request.login} is you.", "Your own machines are trusted.")
        change = team_trust.trust_login if request.action == "trust" else team_trust.distrust_login
        await self._teams.change(partial(change, login=request.login))

    async def _project(self, caller: Caller) -> str:
        def key(store: Store) -> str:
            row = project_row(store, caller)
            shared = None if row is None else team_tables.shared_project(store, row)
            return shared.key if shared else ""

        found = await self._teams.read(key)
        if not found:
            raise PalimpError(ErrorCode.NOT_FOUND, "This project is not shared.", "Share it first: palimp team share")
        return found

    async def _list(self, team: TeamRow, invitation: TeamInvitation | None) -> TeamPeopleList:
        members = members_at(team.place)
        found = await in_transport(partial(members.list_members, team.place))
        shared = await self._teams.read(team_tables.shared_projects)
        trusted = await self._teams.read(team_trust.trusted_logins)
        names: Mapping[str, str] = {members.EVERY_PROJECT: "", **{each.key: each.name or each.root for each in shared}}
        people = [
            TeamPerson(
                login=each.login,
                role=each.role,
                project=names.get(each.project, str(each.project)[:8]),
                invited_by=each.invited_by,
                invited_at=each.invited_at,
                machines=each.machines,
                is_revoked=each.is_revoked,
                is_you=each.is_you,
                is_trusted=each.is_you or each.login in trusted,
            )
            for each in found
        ]
        return TeamPeopleList(people=people, invitation=invitation)
