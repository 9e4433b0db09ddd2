-- Holds a request while no instance of its service takes any: for one that is just being replaced, of which there is no
-- second. An outage that goes on is told at once, as if this were not here, and so is one too many who would wait.
--
--   TIDELINE_PATIENCE_S    seconds from the beginning of an outage; 0: nobody waits
--   TIDELINE_PATIENT_MAX   requests that wait at once

local patience_s = tonumber(os.getenv("TIDELINE_PATIENCE_S"))
local patient_max = tonumber(os.getenv("TIDELINE_PATIENT_MAX"))
local LOOK_EVERY_MS = 50
local down_since = {}
local patient = 0

local function seconds()
  local now = core.now()
  return now.sec + now.usec / 1e6
end

local function look()
  for name, backend in pairs(core.backends) do
    if backend:get_stats().act > 0 then
      down_since[name] = nil
    elseif not down_since[name] then
      down_since[name] = seconds()
    end
  end
end

if patience_s > 0 then
  core.register_task(function()
    while true do
      look()
      core.msleep(LOOK_EVERY_MS)
    end
  end)
end

core.register_action("await_service", { "http-req" }, function(transaction)
  local name = transaction.f:be_name()
  if patience_s == 0 or patient >= patient_max then return end
  patient = patient + 1
  look()
  while down_since[name] and seconds() < down_since[name] + patience_s do core.msleep(LOOK_EVERY_MS) end
  patient = patient - 1
end)
